import type { CommitResult } from './store.ts'

/** A commit that waits to be carried out. */
export interface Request<W> {
  readonly writes: readonly W[]
  /** When it has waited for long enough. */
  readonly deadline: number
  readonly resolve: (result: CommitResult) => void
  readonly reject: (error: unknown) => void
}

interface TurnOptions<W> {
  /** How much one turn takes of what waits. A single commit may be more. */
  readonly writesMax: number
  readonly bytesMax: number
  readonly bytesOf: (write: W) => number
  readonly mayRepeatKeys: boolean
  /** Carries out the commits of a turn, and settles each of them. Never throws. */
  readonly run: (turn: readonly Request<W>[]) => Promise<void>
}

/**
 * Carries out commits in the order in which they come, several at a time. Those that come in one turn of the event
 * loop, or while others are carried out, go together.
 */
export class Turns<W extends { readonly key: string }> {
  readonly #options: TurnOptions<W>
  readonly #waiting: Request<W>[] = []
  #isRunning = false

  constructor(options: TurnOptions<W>) {
    this.#options = options
  }

  add(request: Request<W>): void {
    this.#waiting.push(request)
    if (this.#isRunning) return
    this.#isRunning = true
    setImmediate(() => this.#run())
  }

  /** Fails all that have waited for long enough. */
  failOverdue(failure: () => unknown): void {
    const now = performance.now()
    for (const request of this.#waiting.splice(0))
      if (request.deadline <= now) request.reject(failure())
      else this.#waiting.push(request)
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) await this.#options.run(this.#take())
    this.#isRunning = false
  }

  /** As many as one turn may hold; always at least one. */
  #take(): Request<W>[] {
    const { writesMax, bytesMax, bytesOf, mayRepeatKeys } = this.#options
    const keys = new Set<string>()
    let [count, sum, bytes] = [0, 0, 0]
    for (const { writes } of this.#waiting) {
      sum += writes.length
      for (const write of writes) bytes += bytesOf(write)
      const isFull = sum > writesMax || bytes > bytesMax
      const isRepeated = !mayRepeatKeys && writes.some(({ key }) => keys.has(key))
      if (count > 0 && (isFull || isRepeated)) break
      if (!mayRepeatKeys) for (const { key } of writes) keys.add(key)
      count++
    }
    return this.#waiting.splice(0, count)
  }
}
