import { StoreError, sleep } from '../store/internal.ts'
import type { Collection } from './collection.ts'
import { pooled } from './pooled.ts'

/** What a model says about waiting for its documents. */
interface Waiting<T> {
  /** The document; throws where there is none, or it is gone. */
  read(id: string): Promise<T>
  /** Whether it is what everybody waits for. */
  isOver(value: T): boolean
  /** Whatever they wait with was closed. */
  closed(): Error
}

/** How often to look at documents on a store whose watch would list all of them each time. */
const pollMs = 1_000

interface Waiter<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

/** Whoever waits for documents to be done with: one watch for all of them, for as long as there are any. */
export class Waiters<T> {
  readonly #documents: Collection<T>
  readonly #rules: Waiting<T>
  readonly #waiting = new Map<string, Set<Waiter<T>>>()
  /** What will be looked at again, because the store was away. */
  readonly #later = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false
  #watching: AbortController | null = null
  /** Watches that have not ended yet, those that nobody needs any more among them. */
  readonly #watches = new Set<Promise<void>>()

  constructor(documents: Collection<T>, rules: Waiting<T>) {
    this.#documents = documents
    this.#rules = rules
  }

  /** The document as soon as it is over. Rejects when it is not there, or deleted meanwhile. */
  async wait(id: string, signal?: AbortSignal): Promise<T> {
    if (this.#isClosed) throw this.#rules.closed()
    let onAbort = () => {}
    let leave = () => {}
    const ended = new Promise<T>((resolve, reject) => {
      const waiter = { resolve, reject }
      const waiters = this.#waiting.get(id) ?? new Set()
      this.#waiting.set(id, waiters.add(waiter))
      onAbort = () => reject(signal?.reason)
      leave = () => this.#leave(id, waiter)
    })
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      this.#watch()
      // A watch that runs already would not tell what has happened before.
      void this.#look(id)
      return await ended
    } finally {
      signal?.removeEventListener('abort', onAbort)
      leave()
    }
  }

  /** Rejects all who wait, and ends the watch. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#rejectAll(this.#rules.closed())
    this.#end()
    await Promise.all(this.#watches)
  }

  #watch(): void {
    if (this.#watching) return
    const stop = new AbortController()
    this.#watching = stop
    const watch = this.#follow(stop.signal)
      .catch((error: unknown) => {
        if (this.#watching === stop) this.#watching = null
        if (!stop.signal.aborted) this.#rejectAll(error)
      })
      .finally(() => this.#watches.delete(watch))
    this.#watches.add(watch)
  }

  #end(): void {
    this.#watching?.abort()
    this.#watching = null
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#later.clear()
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for await (const changed of this.#changes(signal))
      if (changed === null) await pooled([...this.#waiting.keys()], (id) => this.#look(id))
      else if (this.#waiting.has(changed)) void this.#look(changed)
    // The store was closed: looking says so.
    if (!signal.aborted) throw this.#rules.closed()
  }

  /** Ids of documents that may have changed; null where any may have. */
  async *#changes(signal: AbortSignal): AsyncGenerator<string | null> {
    const { limits } = this.#documents.store
    if (limits.watch === 'poll' && limits.listCost === 'prefix')
      for (; !signal.aborted; await sleep(pollMs, signal)) yield null
    else
      for await (const event of this.#documents.watch(signal))
        yield event.type === 'resync' ? null : event.id
  }

  async #look(id: string): Promise<void> {
    try {
      const value = await this.#rules.read(id)
      if (!this.#rules.isOver(value)) return
      for (const { resolve } of this.#waiting.get(id) ?? []) resolve(value)
    } catch (error) {
      if (error instanceof StoreError && error.code === 'unavailable') this.#lookLater(id)
      else for (const { reject } of this.#waiting.get(id) ?? []) reject(error)
    }
  }

  /** The store is away. Who waits for a document can wait for the store. */
  #lookLater(id: string): void {
    if (!this.#watching || !this.#waiting.has(id)) return
    this.#later.add(id)
    this.#timer ??= setTimeout(() => {
      const ids = [...this.#later]
      this.#timer = undefined
      this.#later.clear()
      for (const each of ids) if (this.#waiting.has(each)) void this.#look(each)
    }, pollMs)
  }

  #leave(id: string, waiter: Waiter<T>): void {
    const waiters = this.#waiting.get(id)
    waiters?.delete(waiter)
    if (waiters?.size === 0) this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#end()
  }

  #rejectAll(error: unknown): void {
    for (const waiters of this.#waiting.values()) for (const { reject } of waiters) reject(error)
  }
}
