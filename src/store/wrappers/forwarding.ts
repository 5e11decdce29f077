import { checkStore } from '../check.ts'
import type { CommitResult, Entry, Head, ListOptions, Store, WatchEvent, Write } from '../store.ts'

/** Passes every call on. A wrapper extends it and changes what it is about. */
export class ForwardingStore implements Store {
  protected readonly inner: Store

  constructor(inner: Store) {
    checkStore(inner)
    this.inner = inner
  }

  get limits(): Store['limits'] {
    return this.inner.limits
  }

  get(key: string): Promise<Entry | null> {
    return this.inner.get(key)
  }

  list(prefix: string, options?: ListOptions): AsyncIterable<Head> {
    return this.inner.list(prefix, options)
  }

  scan(prefix: string, options?: ListOptions): AsyncIterable<Entry> {
    return this.inner.scan(prefix, options)
  }

  commit(writes: readonly Write[]): Promise<CommitResult> {
    return this.inner.commit(writes)
  }

  watch(prefix: string, signal?: AbortSignal): AsyncIterable<WatchEvent> {
    return this.inner.watch(prefix, signal)
  }

  now(): Promise<number> {
    return this.inner.now()
  }

  get engine(): string | undefined {
    return this.inner.engine
  }

  get versions(): Store['versions'] {
    return this.inner.versions?.bind(this.inner)
  }

  get purge(): Store['purge'] {
    return this.inner.purge?.bind(this.inner)
  }

  get blanks(): Store['blanks'] {
    return this.inner.blanks?.bind(this.inner)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.inner[Symbol.asyncDispose]())
  }
}
