/** Numbers that follow from a seed alone: sfc32, which is small, fast and good enough to choose what happens next. */
export class Random {
  #a = 0
  #b = 0
  #c = 0
  #count = 1

  constructor(seed: number) {
    this.#a = seed >>> 0
    this.#b = Math.floor(seed / 2 ** 32) >>> 0
    this.#c = 0x9e3779b9
    for (let round = 0; round < 15; round++) this.next()
  }

  /** From 0 up to 1. */
  next(): number {
    const sum = (this.#a + this.#b + this.#count) >>> 0
    this.#count = (this.#count + 1) >>> 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) >>> 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) >>> 0
    return sum / 2 ** 32
  }

  /** A whole number from `from` to `to`, both included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('There is nothing to pick from.')
    return items[this.int(0, items.length - 1)] as T
  }

  /** Picks a name by its weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const names = Object.keys(weights) as K[]
    let left = this.next() * names.reduce((sum, name) => sum + weights[name], 0)
    for (const name of names) {
      left -= weights[name]
      if (left < 0) return name
    }
    return names.at(-1) as K
  }

  /** Spread over orders of magnitude: as often between 1 and 10 as between 10 and 100. */
  logarithmic(from: number, to: number): number {
    return from * (to / from) ** this.next()
  }

  bytes(target: Uint8Array): void {
    for (let at = 0; at < target.length; at++) target[at] = this.next() * 256
  }

  /** A generator of its own for a part, so that what one part draws does not change another. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 2 ** 52))
  }
}
