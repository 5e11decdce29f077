/**
 * How long before its limit the lease of a handler is extended by what it may take to end. A store that takes longer to
 * do so lets others have the task while its handler still runs.
 */
export const aheadMs = 700
/** How long a handler may take to end after it was aborted, where it does not say. */
export const endMsDefault = 30_000
/** The same where the process is about to exit: a command is killed 5 s after it was asked to end. */
export const exitEndMs = 1_000
export const exitEndMsMax = 7_500
/** How long the report at the end may take. */
export const reportMs = 5_000
/** A lease is renewed so many times before it would expire. */
const renewalsPerLease = 3
/** Less is what two looks at a clock differ by. */
const extensionMsMin = 500

/**
 * When the handler of an attempt is over its limit, how long its lease lasts, and how far that is the doing of its own
 * worker; so that an extension by others is known as one. Times are those of `performance.now()`.
 */
export class Limit {
  /** Never, until the handler starts. */
  #at: number
  /** Once the handler has started never before the limit: up to there a worker renews by itself. */
  #reachAt: number
  #leaseEndsAt: number

  constructor(leaseEndsAt: number, at = Number.POSITIVE_INFINITY) {
    this.#leaseEndsAt = leaseEndsAt
    this.#reachAt = leaseEndsAt
    this.#at = Number.POSITIVE_INFINITY
    if (Number.isFinite(at)) this.begin(at)
  }

  get at(): number {
    return this.#at
  }

  get leaseEndsAt(): number {
    return this.#leaseEndsAt
  }

  /** The handler starts, and may run until then; longer where others have extended its lease while it waited. */
  begin(at: number): void {
    this.#at = this.#leaseEndsAt - at >= extensionMsMin ? this.#leaseEndsAt : at
    this.#reachAt = Math.max(this.#reachAt, this.#at)
  }

  /** When leases of this length are to be renewed; never where this one lasts up to the limit. */
  renewAt(leaseMs: number, elapsed = 1 / renewalsPerLease): number {
    if (this.#leaseEndsAt > this.#at - extensionMsMin) return Number.POSITIVE_INFINITY
    return this.#leaseEndsAt - leaseMs * (1 - elapsed)
  }

  /** When to extend the lease beyond the limit by what the handler may take to end; never once that is done. */
  get aheadAt(): number {
    const beyondMs = this.#leaseEndsAt - this.#at
    if (beyondMs >= extensionMsMin) return Number.POSITIVE_INFINITY
    return (beyondMs > -extensionMsMin && beyondMs < 0 ? this.#leaseEndsAt : this.#at) - aheadMs
  }

  /** From when on the lease may have been extended beyond the limit, so that the handler has time to end. */
  get mayReachAt(): number {
    return this.#at - aheadMs - extensionMsMin
  }

  /** Its own worker has made the lease last until then. */
  reach(at: number): void {
    this.#reachAt = Math.max(this.#reachAt, at)
    this.#leaseEndsAt = Math.max(this.#leaseEndsAt, at)
  }

  /** Limit and lease last so much longer. */
  raise(ms: number): void {
    this.#at += ms
    this.#reachAt += ms
    this.#leaseEndsAt += ms
  }

  /** The lease was seen to last until then. Where others have extended it, the limit is raised by as much. */
  see(leaseEndsAt: number): number {
    const ms = leaseEndsAt - this.#reachAt
    this.#leaseEndsAt = Math.max(this.#leaseEndsAt, leaseEndsAt)
    if (ms < extensionMsMin) return 0
    this.#reachAt = leaseEndsAt
    // Before it starts there is no limit to raise yet.
    if (this.#at === Number.POSITIVE_INFINITY) return 0
    this.#at += ms
    return ms
  }
}
