const idsMax = 10_000

/**
 * Tasks that were seen before they were due: by the minute in which they will be, or by the very time once that is known.
 * What becomes too much is left to later looks.
 */
export class Agenda {
  readonly #minutes = new Map<string, Set<string>>()
  /** By `performance.now()`. */
  readonly #times = new Map<string, number>()
  /** Whether something was left out. */
  isCut = false
  #count = 0
  #first: string | null = null

  add(minute: string, id: string): void {
    if (this.#count >= idsMax) {
      this.isCut = true
      return
    }
    const ids = this.#minutes.get(minute) ?? new Set()
    this.#minutes.set(minute, ids)
    if (ids.has(id)) return
    ids.add(id)
    this.#count++
    if (this.#first === null || minute < this.#first) this.#first = minute
  }

  /** At a time of `performance.now()`. */
  addAt(time: number, id: string): void {
    if (this.#times.size < idsMax) this.#times.set(id, time)
  }

  /** Takes those that may be due by now. */
  due(minute: string): string[] {
    const due: string[] = []
    while (this.#first !== null && this.#first <= minute) {
      due.push(...(this.#minutes.get(this.#first) ?? []))
      this.#minutes.delete(this.#first)
      this.#first = [...this.#minutes.keys()].sort()[0] ?? null
    }
    this.#count -= due.length
    const now = performance.now()
    for (const [id, time] of this.#times)
      if (time <= now) {
        this.#times.delete(id)
        due.push(id)
      }
    return due
  }
}
