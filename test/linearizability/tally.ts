import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSoak } from '../size.ts'
import { type CheckOptions, check } from './check.ts'
import { type History, unknownsIn } from './history.ts'
import { reportOf } from './report.ts'

/** What decides the clients' choices and the faults. A long run draws its own; HOLDFAST_SEED repeats one. */
export const seed = Number(process.env['HOLDFAST_SEED'] ?? (isSoak ? randomInt(2 ** 32) : 1))

interface Violation {
  /** Which of the histories it was. */
  readonly number: number
  readonly history: History
  readonly contract: CheckOptions
}

/** How many violations are shown; one cause may have several faces. */
const shownMax = 3

/** The histories of one store that were checked, and what was found. */
export class Tally {
  readonly #name: string
  readonly #options: CheckOptions
  readonly #violations: Violation[] = []
  #histories = 0
  #operations = 0
  #unknowns = 0
  #stale = 0
  #commits = 0

  /** `options` are those of the store's contract. */
  constructor(name: string, options: CheckOptions = {}) {
    this.#name = name
    this.#options = options
  }

  get violations(): number {
    return this.#violations.length
  }

  get unknowns(): number {
    return this.#unknowns
  }

  add(history: History, options: CheckOptions = {}): void {
    const contract = { ...this.#options, ...options }
    this.#histories++
    this.#operations += history.length
    this.#unknowns += unknownsIn(history)
    this.#commits += history.filter(({ outcome }) => outcome?.type === 'committed').length
    const verdict = check(history, contract)
    if (verdict.type !== 'linearizable')
      this.#violations.push({ number: this.#histories, history, contract })
    else if (contract.reads === 'past' && check(history).type !== 'linearizable') this.#stale++
  }

  /** One line, for the record of a long run. */
  get line(): string {
    const stale = this.#options.reads === 'past' ? `${this.#stale} with stale reads, ` : ''
    return `linearizability of ${this.#name}: ${this.#histories} histories, ${this.#operations} operations, ${this.#unknowns} unknown outcomes, ${stale}${this.violations} violations (seed ${seed})`
  }

  /** Prints the line, and fails with what was found. */
  settle(): void {
    process.stdout.write(`${this.line}\n`)
    const shown = this.#violations.slice(0, shownMax).map((violation) => this.#explain(violation))
    if (shown.length > 0) assert.fail([this.line, ...shown].join('\n'))
    assert.ok(this.#commits > this.#histories, `only ${this.#commits} commits were acknowledged`)
  }

  /** What is wrong with a history, which is kept in a file. */
  #explain({ number, history, contract }: Violation): string {
    const path = join(tmpdir(), `holdfast-history-${process.pid}-${Date.now()}-${number}.json`)
    writeFileSync(path, JSON.stringify({ contract, history }))
    return [
      `History ${number} of ${this.#name}, seed ${seed}:`,
      reportOf(check(history, contract)),
      `Check this history again: node .tools/test/processes/check-history.js ${path}`,
      `Let clients choose the same again: ${isSoak ? 'HOLDFAST_SOAK=1 ' : ''}HOLDFAST_SEED=${seed} npx vitest run test/linearizability`,
    ].join('\n')
  }
}
