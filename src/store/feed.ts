import { isBelow } from './key.ts'
import { type WatchEvent, watchPendingMax } from './store.ts'

/**
 * The watches of one open store. A driver tells it what changed; it keeps, for each watch, the changed
 * keys that its reader has not taken yet, each once, and turns too many of them into a `resync`.
 */
export class Feed {
  readonly #watches = new Set<Watch>()

  /** Whether anybody watches: a driver that polls need not where nobody does. */
  get isWatched(): boolean {
    return this.#watches.size > 0
  }

  /** Tells the watches of these keys that they may have changed. */
  publish(keys: Iterable<string>): void {
    for (const key of keys) for (const watch of this.#watches) watch.add(key)
  }

  /** After a gap: whatever the watches knew may be out of date. */
  resync(): void {
    for (const watch of this.#watches) watch.resync()
  }

  /** The watch is in place as soon as the first event, always `resync`, is asked for. */
  async *watch(prefix: string, signal?: AbortSignal): AsyncGenerator<WatchEvent> {
    const watch = new Watch(prefix)
    // At once, for nobody may be waiting in next() and so notice.
    const end = () => {
      this.#watches.delete(watch)
      watch.end()
    }
    if (signal?.aborted) return
    signal?.addEventListener('abort', end)
    this.#watches.add(watch)
    try {
      for (;;) {
        const event = await watch.next()
        if (event === null) return
        yield event
      }
    } finally {
      this.#watches.delete(watch)
      signal?.removeEventListener('abort', end)
    }
  }
}

class Watch {
  readonly #prefix: string
  readonly #pending = new Set<string>()
  #resync = true
  #ended = false
  #wake: (() => void) | undefined

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  add(key: string): void {
    // A pending resync already says that this key may have changed.
    if (this.#resync || !isBelow(key, this.#prefix)) return
    this.#pending.add(key)
    if (this.#pending.size > watchPendingMax) this.resync()
    this.#wake?.()
  }

  resync(): void {
    this.#resync = true
    this.#pending.clear()
    this.#wake?.()
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  async next(): Promise<WatchEvent | null> {
    while (!this.#ended && !this.#resync && this.#pending.size === 0) await this.#news()
    if (this.#ended) return null
    if (this.#resync) {
      this.#resync = false
      return { type: 'resync' }
    }
    const [key] = this.#pending as Iterable<string>
    this.#pending.delete(key as string)
    return { type: 'key', key: key as string }
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
