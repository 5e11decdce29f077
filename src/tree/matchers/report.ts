import type { LineCounter } from 'yaml'
import type { Finding } from './finding.ts'

/** How many errors are kept, and how many warnings: a file that is all wrong need not be quoted in full. */
const findingsMax = 100

/** Gathers what is wrong with a file, by where in its text it is. */
export class Report {
  readonly #lines: LineCounter
  readonly #kept: Finding[] = []
  #dropped = 0
  #errors = 0
  #first: Finding | null = null

  constructor(lines: LineCounter) {
    this.#lines = lines
  }

  error(offset: number, message: string): void {
    this.#errors++
    this.#add('error', offset, message)
  }

  warn(offset: number, message: string): void {
    this.#add('warning', offset, message)
  }

  /** What went wrong while this ran: the first error in words, or null. */
  errorIn(work: () => void): string | null {
    const before = this.#errors
    this.#first = null
    work()
    // Read anew: the work has changed it, which the types do not see.
    const first = this.#first as Finding | null
    return this.#errors === before || first === null ? null : `line ${first.line}: ${first.message}`
  }

  /** In the order of the file. */
  get findings(): Finding[] {
    const sorted = [...this.#kept].sort((a, b) => a.line - b.line || a.column - b.column)
    const last = sorted.at(-1)
    if (this.#dropped === 0 || last === undefined) return sorted
    const severity = this.#errors > 0 ? 'error' : 'warning'
    return [...sorted, { ...last, severity, message: `There are ${this.#dropped} more.` }]
  }

  #add(severity: Finding['severity'], offset: number, message: string): void {
    const { line, col } = this.#lines.linePos(offset)
    // An offset of 0 has no line where the text is empty.
    const finding = { severity, line: Math.max(line, 1), column: Math.max(col, 1), message }
    if (severity === 'error') this.#first ??= finding
    const alike = this.#kept.filter((other) => other.severity === severity)
    if (alike.length < findingsMax) this.#kept.push(finding)
    else this.#dropped++
  }
}
