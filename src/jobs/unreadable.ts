import type { Head } from '../store/internal.ts'

/** When to look again at what can't be read: after so long, and after twice as long each time. */
const waitMsMin = 10_000
const waitMsMax = 600_000
/** How many are remembered. */
const entriesMax = 100_000

interface Passed {
  readonly revision: string
  readonly waitMs: number
  readonly until: number
}

/** Entries whose tasks somebody can't read: read again seldom, for they may be put right. */
export class Unreadable {
  readonly #passed = new Map<string, Passed>()

  note({ key, revision }: Head): void {
    const known = this.#passed.get(key)
    const waitMs = known ? Math.min(waitMsMax, known.waitMs * 2) : waitMsMin
    this.#passed.set(key, { revision, waitMs, until: performance.now() + waitMs })
    if (this.#passed.size <= entriesMax) return
    const [oldest] = this.#passed.keys()
    this.#passed.delete(oldest as string)
  }

  has({ key, revision }: Head): boolean {
    const known = this.#passed.get(key)
    if (known === undefined) return false
    return known.revision === revision && performance.now() < known.until
  }
}
