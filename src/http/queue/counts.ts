import type { Queue, Stats } from '../../queue/internal.ts'

/** To count means to read every task: that takes at most so large a part of the time. */
const shareMax = 0.1
/** However long it takes, what is older is counted anew. */
const ageMsMax = 5_000

/** What was counted, and when that began, by `performance.now()`. */
interface Counted {
  readonly stats: Stats
  readonly startedAt: number
}

/** How many tasks there are, not counted anew for everybody who asks. */
export class Counts {
  readonly #queue: Queue
  #counting: Promise<Counted> | undefined
  /** Until when what was counted is as good as new. */
  #until = 0
  /** How often it was said that what is known is wrong by now. */
  #changes = 0
  #last: { readonly stats: Stats; readonly at: number } | undefined

  constructor(queue: Queue) {
    this.#queue = queue
  }

  /** As of now; where counting takes long, of a few seconds ago, but never of before a change of our own. */
  now(): Promise<Counted> {
    if (!this.#counting || performance.now() >= this.#until) this.#counting = this.#count()
    return this.#counting
  }

  /** As of a few seconds ago: for who asks again and again, and not because something has changed. */
  async recent(): Promise<Stats> {
    const isRecent = this.#last && performance.now() - this.#last.at < ageMsMax
    return isRecent && this.#last ? this.#last.stats : (await this.now()).stats
  }

  /** After a change of our own: whoever made it is to see it. */
  forget(): void {
    this.#until = 0
    this.#changes++
  }

  async #count(): Promise<Counted> {
    // Whoever asks meanwhile gets the same.
    this.#until = Number.POSITIVE_INFINITY
    const startedAt = performance.now()
    const changes = this.#changes
    try {
      const stats = await this.#queue.stats()
      const now = performance.now()
      this.#last = { stats, at: now }
      const freshMs = Math.min(ageMsMax, (now - startedAt) / shareMax)
      if (this.#changes === changes) this.#until = now + freshMs
      return { stats, startedAt }
    } catch (error) {
      if (this.#changes === changes) this.#until = 0
      throw error
    }
  }
}
