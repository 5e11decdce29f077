/** How far two crystals may drift apart, which slowly widens what is known. */
const driftPerMs = 0.0002

/**
 * The clock of a server, kept between two looks at it by this process's own monotonic clock; so it is right
 * however wrong the clock of this machine is. Every look says: at some moment between asking and hearing the
 * answer the server's time lay within an interval. All looks together narrow it down, also when a server
 * tells whole seconds only.
 */
export class ServerClock {
  /** The server's time minus ours lies between these two, as of `#at`. */
  #low = Number.NEGATIVE_INFINITY
  #high = Number.POSITIVE_INFINITY
  #at = 0

  get isKnown(): boolean {
    return this.#low !== Number.NEGATIVE_INFINITY
  }

  /** Takes a look: times of ours by `performance.now()`, the server's in milliseconds since the epoch. */
  observe(look: { asked: number; heard: number; earliest: number; latest: number }): void {
    const [low, high] = [look.earliest - look.heard, look.latest - look.asked]
    const drift = (look.heard - this.#at) * driftPerMs
    const [narrowedLow, narrowedHigh] = [
      Math.max(low, this.#low - drift),
      Math.min(high, this.#high + drift),
    ]
    // Looks that contradict each other mean that the server's clock was set: the newest one is right.
    const isConsistent = narrowedLow <= narrowedHigh
    this.#low = isConsistent ? narrowedLow : low
    this.#high = isConsistent ? narrowedHigh : high
    this.#at = look.heard
  }

  /** Milliseconds since the epoch as the server would say now. */
  now(): number {
    return Math.round(performance.now() + (this.#low + this.#high) / 2)
  }
}
