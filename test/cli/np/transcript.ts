import type { Outcome } from '../terminal.ts'
import type { Desk } from './desk.ts'

/** Runs commands one after another, and writes down what an agent would see, with ids and times masked. */
export class Transcript {
  readonly #desk: Desk
  readonly #masks: [RegExp, (found: string) => string][]
  readonly #names = new Map<string, string>()
  #text = ''

  constructor(desk: Desk) {
    this.#desk = desk
    this.#masks = [
      [/[0-9A-HJKMNP-TV-Z]{26}/g, (sid) => this.#named('SID', sid)],
      [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, () => 'TIME'],
      [/(?<=[☐⟳☑☒⊗] |-i |task_\w+ {2})[0-9a-f]{6}\b/g, (id) => this.#named('task', id)],
    ]
  }

  get text(): string {
    return this.#text
  }

  /** A task id or session id by the name that the transcript gave it. */
  real(name: string): string {
    return [...this.#names].find(([, mask]) => mask === name)?.[0] ?? name
  }

  /** Names of tasks and sessions stand for what they mask. */
  async np(line: string, { at = '.', stdin = '' } = {}): Promise<Outcome> {
    const args = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) =>
      this.real(word.replace(/^"(.*)"$/, '$1')),
    )
    const outcome = await this.#desk.in(at).run(args, { stdin })
    const prompt = at === '.' ? '$' : `${at}$`
    const errors = outcome.stderr === '' ? '' : `! ${outcome.stderr}`
    const exit = outcome.exit === 0 ? '' : `exit ${outcome.exit}\n`
    this.#text += `${prompt} np ${line}\n${this.#masked(outcome.stdout + errors)}${exit}\n`
    return outcome
  }

  #masked(text: string): string {
    const here = text.replaceAll(this.#desk.directory, 'DIR')
    return this.#masks.reduce((rest, [pattern, mask]) => rest.replaceAll(pattern, mask), here)
  }

  #named(kind: string, found: string): string {
    const known = this.#names.get(found)
    if (known) return known
    const count = [...this.#names.values()].filter((name) => name.startsWith(kind)).length
    const name = `${kind}-${count + 1}`
    this.#names.set(found, name)
    return name
  }
}
