/** Ids that are not worth a look before a time, the oldest forgotten first where they become too many. */
export class Memory {
  readonly #until = new Map<string, number>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get isEmpty(): boolean {
    return this.#until.size === 0
  }

  /** Until a time of `performance.now()`. */
  hold(id: string, until: number): void {
    this.#until.delete(id)
    this.#until.set(id, until)
    if (this.#until.size <= this.#max) return
    const [oldest] = this.#until.keys()
    this.#until.delete(oldest as string)
  }

  isHeld(id: string, now: number): boolean {
    const until = this.#until.get(id)
    if (until === undefined) return false
    if (now < until) return true
    this.#until.delete(id)
    return false
  }
}
