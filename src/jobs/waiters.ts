import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { pooled } from '../collection/index.ts'
import { StoreError } from '../store/index.ts'
import { StoreClosedError } from './error.ts'
import type { Repository } from './repository.ts'
import { isTerminal, type StoredTask } from './task.ts'

/** How often to look at tasks on a store whose watch would list all of them each time. */
const pollMs = 1_000

interface Waiter {
  resolve(task: StoredTask): void
  reject(error: unknown): void
}

/** Whoever waits for tasks to end: one watch for all of them, for as long as there are any. */
export class Waiters {
  readonly #tasks: Repository
  readonly #waiting = new Map<string, Set<Waiter>>()
  /** What will be looked at again, because the store was away. */
  readonly #later = new Set<string>()
  #isClosed = false
  #watching: { readonly stop: AbortController; readonly done: Promise<void> } | null = null

  constructor(tasks: Repository) {
    this.#tasks = tasks
  }

  /** The task as soon as it is terminal. Rejects when it is not there, or deleted meanwhile. */
  async wait(id: string, signal?: AbortSignal): Promise<StoredTask> {
    if (this.#isClosed) throw new StoreClosedError()
    let onAbort = () => {}
    let leave = () => {}
    const ended = new Promise<StoredTask>((resolve, reject) => {
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
    this.#rejectAll(new StoreClosedError())
    const watching = this.#watching
    this.#watching = null
    watching?.stop.abort()
    await watching?.done
  }

  #watch(): void {
    if (this.#watching) return
    const stop = new AbortController()
    // Each task that is looked at again listens to it.
    setMaxListeners(0, stop.signal)
    const done = this.#follow(stop.signal).catch((error: unknown) => {
      if (this.#watching?.stop === stop) this.#watching = null
      if (!stop.signal.aborted) this.#rejectAll(error)
    })
    this.#watching = { stop, done }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for await (const changed of this.#changes(signal))
      if (changed === null) await pooled([...this.#waiting.keys()], (id) => this.#look(id))
      else if (this.#waiting.has(changed)) void this.#look(changed)
    // The store was closed: looking says so.
    if (!signal.aborted) throw new StoreClosedError()
  }

  /** Ids of tasks that may have changed; null where any may have. */
  async *#changes(signal: AbortSignal): AsyncGenerator<string | null> {
    const { limits } = this.#tasks.all.store
    if (limits.watch === 'poll' && limits.listCost === 'prefix')
      for (; !signal.aborted; await sleep(pollMs, undefined, { signal }).catch(() => {})) yield null
    else
      for await (const event of this.#tasks.all.watch(signal))
        yield event.type === 'resync' ? null : event.id
  }

  async #look(id: string): Promise<void> {
    try {
      const task = await this.#tasks.get(id)
      if (isTerminal(task)) for (const { resolve } of this.#waiting.get(id) ?? []) resolve(task)
    } catch (error) {
      if (error instanceof StoreError && error.code === 'unavailable') void this.#lookLater(id)
      else for (const { reject } of this.#waiting.get(id) ?? []) reject(error)
    }
  }

  /** The store is away. Who waits for a task can wait for the store. */
  async #lookLater(id: string): Promise<void> {
    if (this.#later.has(id)) return
    this.#later.add(id)
    const signal = this.#watching?.stop.signal
    await sleep(pollMs, undefined, signal ? { signal } : {}).catch(() => {})
    this.#later.delete(id)
    if (this.#waiting.has(id)) await this.#look(id)
  }

  #leave(id: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(id)
    waiters?.delete(waiter)
    if (waiters?.size === 0) this.#waiting.delete(id)
    if (this.#waiting.size > 0) return
    this.#watching?.stop.abort()
    this.#watching = null
  }

  #rejectAll(error: unknown): void {
    for (const waiters of this.#waiting.values()) for (const { reject } of waiters) reject(error)
  }
}
