/**
 * How long before its limit the lease of a handler is extended by what it may take to end. A store that takes longer to
 * do so lets others have the task while its handler still runs.
 */
export const aheadMs = 700
/** How long a handler may take to end after it was aborted, where it does not say. */
export const endMsDefault = 30_000
/** How long the report at the end may take. */
export const reportMs = 5_000
/** A lease is renewed so many times before it would expire. */
export const renewalsPerLease = 3
/** Less is what two looks at a clock differ by. */
const extensionMsMin = 500

/**
 * When an attempt is over its limit, and how far its lease reaches by the doing of its own worker; so that an extension
 * by others is known as one. Times are those of `performance.now()`.
 */
export class Limit {
  #at: number
  /** Never before the limit: up to there a worker renews by itself. */
  #reachAt: number

  constructor(at: number) {
    this.#at = at
    this.#reachAt = at
  }

  get at(): number {
    return this.#at
  }

  /** Its own worker has made the lease last until then. */
  reach(at: number): void {
    this.#reachAt = Math.max(this.#reachAt, at)
  }

  /** Limit and lease last so much longer. */
  raise(ms: number): void {
    this.#at += ms
    this.#reachAt += ms
  }

  /** The lease was seen to last until then. Where others have extended it, the limit is raised by as much. */
  see(leaseEndsAt: number): number {
    const ms = leaseEndsAt - this.#reachAt
    if (ms < extensionMsMin) return 0
    this.raise(ms)
    return ms
  }
}
