import { eventLoopTurn } from './event-loop.ts'
import type { Head } from './store.ts'

/** Reads the items of a range after `after` (null at its start), at most `limit` of them, in order. */
export type PageReader<T> = (after: string | null, limit: number) => T[] | Promise<T[]>

/** How many items a page has when the caller may want only a few, and when it clearly wants many. */
const pageItemsFirst = 32
const pageItemsMax = 512

/** Pages of large values get fewer items: about so many bytes. */
const pageBytesMax = 4_000_000

/**
 * Iterates a range page by page. No page is held open between two steps, so a slow reader blocks nobody;
 * each page starts after the last key of the one before, so a key nobody touches appears exactly once.
 */
export function paged<T extends Head>(read: PageReader<T>, limit = Infinity): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => new PageIterator(read, limit) }
}

// Written out rather than as a generator: a step inside a page costs a third of a generator's.
class PageIterator<T extends Head> implements AsyncIterator<T> {
  readonly #read: PageReader<T>
  #left: number
  #page: readonly T[] = []
  #at = 0
  #size = pageItemsFirst
  #isLast = false
  #turning: Promise<void> | undefined

  constructor(read: PageReader<T>, limit: number) {
    this.#read = read
    this.#left = limit
  }

  next(): Promise<IteratorResult<T>> {
    // Whoever asks again before a page has come waits for it too.
    if (this.#turning) return this.#turning.then(() => this.next())
    if (this.#at < this.#page.length)
      return Promise.resolve({ done: false, value: this.#page[this.#at++] as T })
    if (this.#isLast) return Promise.resolve({ done: true, value: undefined })
    const turning = this.#turn().finally(() => {
      this.#turning = undefined
    })
    this.#turning = turning
    return turning.then(() => this.next())
  }

  return(): Promise<IteratorResult<T>> {
    this.#page = []
    this.#isLast = true
    return Promise.resolve({ done: true, value: undefined })
  }

  async #turn(): Promise<void> {
    const turn = eventLoopTurn()
    if (turn) await turn
    const after = this.#page.at(-1)?.key ?? null
    const size = Math.min(this.#size, this.#left)
    this.#page = await this.#read(after, size)
    this.#at = 0
    this.#left -= this.#page.length
    this.#isLast = this.#page.length < size || this.#left === 0
    this.#size = nextSize(this.#page)
  }
}

function nextSize(page: readonly (Head & { readonly value?: Uint8Array })[]): number {
  const bytes = page.reduce((sum, { value }) => sum + (value?.byteLength ?? 0), 1)
  const fitting = Math.max(1, Math.floor((page.length * pageBytesMax) / bytes))
  return Math.min(page.length * 2, fitting, pageItemsMax)
}
