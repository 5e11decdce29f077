/**
 * When things were first seen, up to a number of them. None is forgotten for the sake of another, or, of more than fit,
 * none would ever be old. Those for which there is no room get their turn later.
 */
export class FirstSeen {
  /** The oldest first. */
  readonly #times = new Map<string, number>()
  readonly #max: number
  readonly #forgetMs: number

  /** What is not asked for again is forgotten after `forgetMs`. */
  constructor({ max, forgetMs }: { max: number; forgetMs: number }) {
    this.#max = max
    this.#forgetMs = forgetMs
  }

  /** How long ago a thing was first seen, by the clock of its user; 0 the first time. */
  ageMs(name: string, nowMs: number): number {
    const since = this.#times.get(name)
    if (since !== undefined) return nowMs - since
    const [oldest] = this.#times
    if (oldest && nowMs - oldest[1] >= this.#forgetMs) this.#times.delete(oldest[0])
    if (this.#times.size < this.#max) this.#times.set(name, nowMs)
    return 0
  }

  /** Whether a thing was first seen so long ago. Then it is forgotten, and may be seen anew. */
  isDue(name: string, nowMs: number, afterMs: number): boolean {
    const isDue = this.ageMs(name, nowMs) >= afterMs
    if (isDue) this.forget(name)
    return isDue
  }

  forget(name: string): void {
    this.#times.delete(name)
  }
}
