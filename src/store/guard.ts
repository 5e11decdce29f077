import type { PurgeOptions } from './abilities.ts'
import { checkPurge, checkRange, checkSignal, checkWrites } from './check.ts'
import { closedError } from './error.ts'
import { checkKey, checkPrefix } from './key.ts'
import type { CommitResult, Entry, ListOptions, Store, WatchEvent, Write } from './store.ts'

/**
 * The half of a driver that is the same for all of them: refuses bad arguments before they reach the
 * engine, and runs the life cycle. A driver behind it sees only valid calls, all of them before its own
 * disposal, which happens once and after the commits in flight have settled.
 */
export const guarded = (driver: Store): Store => new GuardedStore(driver)

class GuardedStore implements Store {
  readonly #driver: Store
  #inFlight = 0
  #whenIdle: (() => void) | undefined
  #isClosed = false
  /** What ends each watch. */
  readonly #watches = new Set<() => void>()
  #disposal: Promise<void> | undefined

  /** Made once: it is for those to whom each microsecond matters. */
  readonly isStill: Store['isStill']

  constructor(driver: Store) {
    this.#driver = driver
    this.isStill = driver.isStill && ((heads) => !this.#isClosed && driver.isStill!(heads))
  }

  get limits() {
    return this.#driver.limits
  }

  // Not an async function: that would cost the hottest path of all one more promise.
  get(key: string): Promise<Entry | null> {
    try {
      this.#checkOpen()
      checkKey(key)
    } catch (error) {
      return Promise.reject(error)
    }
    return this.#driver.get(key)
  }

  list(prefix: string, options: ListOptions = {}) {
    return this.#iterate(
      () => this.#driver.list(prefix, options),
      () => checkRange(prefix, options),
    )
  }

  scan(prefix: string, options: ListOptions = {}) {
    return this.#iterate(
      () => this.#driver.scan(prefix, options),
      () => checkRange(prefix, options),
    )
  }

  commit(writes: readonly Write[]): Promise<CommitResult> {
    try {
      this.#checkOpen()
      checkWrites(writes, this.limits)
    } catch (error) {
      return Promise.reject(error)
    }
    if (writes.length === 0) return Promise.resolve({ ok: true, revisions: [] })
    // The driver may take them later, and by then the caller may have used the array for something else.
    return this.#followed(this.#driver.commit([...writes]))
  }

  async *watch(prefix: string, signal?: AbortSignal): AsyncGenerator<WatchEvent> {
    this.#checkOpen()
    checkPrefix(prefix)
    checkSignal(signal)
    const ended = new AbortController()
    // Lets go of the signal as soon as it ends: a watch may be aborted and then never read again.
    const end = () => {
      signal?.removeEventListener('abort', end)
      this.#watches.delete(end)
      ended.abort()
    }
    signal?.addEventListener('abort', end)
    this.#watches.add(end)
    if (signal?.aborted) end()
    try {
      if (!ended.signal.aborted) yield* this.#driver.watch(prefix, ended.signal)
    } catch (error) {
      // Whatever fails because of the end is part of it.
      if (!ended.signal.aborted) throw error
    } finally {
      end()
    }
  }

  now(): Promise<number> {
    try {
      this.#checkOpen()
    } catch (error) {
      return Promise.reject(error)
    }
    return this.#driver.now()
  }

  get engine() {
    return this.#driver.engine
  }

  get versions() {
    const { versions } = this.#driver
    if (!versions) return undefined
    return (key: string) =>
      this.#iterate(
        () => versions.call(this.#driver, key),
        () => checkKey(key),
      )
  }

  get purge() {
    const { purge } = this.#driver
    if (!purge) return undefined
    return async (prefix: string, options: PurgeOptions) => {
      this.#checkOpen()
      checkPurge(prefix, options)
      return this.#followed(purge.call(this.#driver, prefix, options))
    }
  }

  get blanks() {
    const { blanks } = this.#driver
    if (!blanks) return undefined
    return async (prefix: string, after: string | null) => {
      this.#checkOpen()
      checkRange(prefix, {})
      return this.#followed(blanks.call(this.#driver, prefix, after))
    }
  }

  get backup() {
    const { backup } = this.#driver
    if (!backup) return undefined
    return async () => {
      this.#checkOpen()
      return this.#followed(backup.call(this.#driver))
    }
  }

  get snapshot() {
    const { snapshot } = this.#driver
    if (!snapshot) return undefined
    return async () => {
      this.#checkOpen()
      return this.#followed(snapshot.call(this.#driver))
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposal ??= this.#dispose()
    return this.#disposal
  }

  async #dispose(): Promise<void> {
    this.#isClosed = true
    for (const end of this.#watches) end()
    if (this.#inFlight > 0)
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve
      })
    await this.#driver[Symbol.asyncDispose]()
  }

  /** What is under way is waited for before the driver is disposed of. */
  #followed<T>(result: Promise<T>): Promise<T> {
    this.#inFlight++
    result.then(this.#settled, this.#settled)
    return result
  }

  readonly #settled = (): void => {
    if (--this.#inFlight === 0) this.#whenIdle?.()
  }

  // Checks are made when the iteration starts, so that they reject like every other failure of it.
  #iterate<T>(start: () => AsyncIterable<T>, check: () => void): AsyncIterable<T> {
    const next = (items: AsyncIterator<T>) => {
      this.#checkOpen()
      return items.next()
    }
    const open = () => {
      this.#checkOpen()
      check()
      return start()[Symbol.asyncIterator]()
    }
    return { [Symbol.asyncIterator]: () => new LazyIterator(open, next) }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw closedError()
  }
}

/** Opens its items at the first step; each step passes through `step`. No promise more than they make. */
class LazyIterator<T> implements AsyncIterator<T> {
  readonly #open: () => AsyncIterator<T>
  readonly #step: (items: AsyncIterator<T>) => Promise<IteratorResult<T>>
  #items: AsyncIterator<T> | undefined
  #isDone = false

  constructor(
    open: () => AsyncIterator<T>,
    step: (items: AsyncIterator<T>) => Promise<IteratorResult<T>>,
  ) {
    this.#open = open
    this.#step = step
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#isDone) return Promise.resolve({ done: true, value: undefined })
    try {
      this.#items ??= this.#open()
      return this.#step(this.#items)
    } catch (error) {
      this.#isDone = true
      return Promise.reject(error)
    }
  }

  async return(): Promise<IteratorResult<T>> {
    this.#isDone = true
    await this.#items?.return?.()
    return { done: true, value: undefined }
  }
}
