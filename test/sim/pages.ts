import type { Head } from '../../src/store/index.ts'

/** Steps through the items of a range; each page is a request of its own. */
export class Pages<T extends Head> implements AsyncIterator<T> {
  readonly #turn: (after: string | null, limit: number) => Promise<readonly T[]>
  readonly #pageKeys: number
  #left: number
  #page: readonly T[] = []
  #at = 0
  #isLast = false

  constructor(
    turn: (after: string | null, limit: number) => Promise<readonly T[]>,
    pageKeys: number,
    limit = Number.POSITIVE_INFINITY,
  ) {
    this.#turn = turn
    this.#pageKeys = pageKeys
    this.#left = limit
  }

  // Not an async function: most steps stay within a page, and runs are made of them.
  next(): Promise<IteratorResult<T>> {
    const item = this.#page[this.#at]
    if (item === undefined) return this.#isLast ? end() : this.#turned()
    this.#at++
    return Promise.resolve({ done: false, value: item })
  }

  return(): Promise<IteratorResult<T>> {
    this.#page = []
    this.#isLast = true
    return end()
  }

  async #turned(): Promise<IteratorResult<T>> {
    const wanted = Math.min(this.#left, this.#pageKeys)
    this.#page = await this.#turn(this.#page.at(-1)?.key ?? null, wanted)
    this.#at = 0
    this.#left -= this.#page.length
    this.#isLast = this.#page.length < wanted || this.#left === 0
    return this.next()
  }
}

const end = (): Promise<IteratorResult<never>> => Promise.resolve({ done: true, value: undefined })
