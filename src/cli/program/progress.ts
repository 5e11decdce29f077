import type { Context } from './context.ts'

const barColumns = 24
const drawMsMin = 100
/** What takes less time needs no word. */
const silentMs = 300

/**
 * How far something long is, in one line that is drawn over and over on a terminal. Wherever nobody watches,
 * nothing is drawn.
 */
export class Progress implements Disposable {
  readonly #write: ((text: string) => void) | null
  readonly #what: string
  /** When it may be drawn next, by `performance.now()`. */
  #nextAt = performance.now() + silentMs
  #isDrawn = false

  private constructor(what: string, write: ((text: string) => void) | null) {
    this.#what = what
    this.#write = write
  }

  static async of({ out, io, args }: Context, what: string): Promise<Progress> {
    const isWatched = !out.isJson && !args.has('quiet') && (await io.stderr.isTerminal())
    return new Progress(what, isWatched ? (text) => io.stderr.writeUnchanged(text) : null)
  }

  /** `total` is null where nobody knows. */
  at(count: number, total: number | null = null): void {
    const now = performance.now()
    if (!this.#write || now < this.#nextAt) return
    this.#nextAt = now + drawMsMin
    this.#isDrawn = true
    this.#write(`\r${this.#what} ${progressText(count, total)}\x1b[K`)
  }

  /** Leaves the line empty, for whatever comes next. */
  wipe(): void {
    if (this.#isDrawn) this.#write?.('\r\x1b[K')
    this.#isDrawn = false
  }

  [Symbol.dispose](): void {
    this.wipe()
  }
}

const grouped = (count: number): string => count.toLocaleString('en-US')

/** `[=====>      ] 1,200 of 4,000`, or only the count where the total is not known. */
export function progressText(count: number, total: number | null): string {
  if (total === null || total <= 0) return grouped(count)
  const filled = Math.floor((Math.min(count, total) / total) * barColumns)
  const head = filled < barColumns ? '>' : ''
  const bar = ('='.repeat(filled) + head).padEnd(barColumns)
  return `[${bar}] ${grouped(count)} of ${grouped(total)}`
}
