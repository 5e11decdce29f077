import { guarded } from '../guard.ts'
import { checkPrefix } from '../key.ts'
import type { Entry, Head, ListOptions, Store, WatchEvent, Write } from '../store.ts'
import { ForwardingStore } from './forwarding.ts'

/**
 * A part of a store as a store of its own: every key `k` of it is `prefix/k` of the whole.
 *
 * @example
 * ```js
 * import { create, openStore, prefixed } from 'holdfast/store'
 *
 * const whole = await openStore('memory:')
 * const part = prefixed(whole, 'tests/one')
 * await part.commit([create('shop/visits', Uint8Array.of(1))])
 * for await (const { key } of whole.list('')) console.log(key) // tests/one/shop/visits
 * await part[Symbol.asyncDispose]()
 * ```
 */
export function prefixed(store: Store, prefix: string): Store {
  checkPrefix(prefix)
  return prefix === '' ? store : guarded(new PrefixedStore(store, prefix))
}

class PrefixedStore extends ForwardingStore {
  readonly #prefix: string

  constructor(store: Store, prefix: string) {
    super(store)
    this.#prefix = prefix
  }

  override async get(key: string): Promise<Entry | null> {
    const entry = await this.inner.get(this.#whole(key))
    return entry && { ...entry, key }
  }

  override list(prefix: string, options: ListOptions = {}): AsyncIterable<Head> {
    return this.#parts(this.inner.list(this.#whole(prefix), this.#wholeBounds(options)))
  }

  override scan(prefix: string, options: ListOptions = {}): AsyncIterable<Entry> {
    return this.#parts(this.inner.scan(this.#whole(prefix), this.#wholeBounds(options)))
  }

  override commit(writes: readonly Write[]) {
    return this.inner.commit(writes.map((write) => ({ ...write, key: this.#whole(write.key) })))
  }

  override async *watch(prefix: string, signal?: AbortSignal): AsyncGenerator<WatchEvent> {
    for await (const event of this.inner.watch(this.#whole(prefix), signal))
      yield event.type === 'key' ? { type: 'key', key: this.#part(event.key) } : event
  }

  override get versions(): Store['versions'] {
    const { versions } = this.inner
    return versions && ((key) => versions.call(this.inner, this.#whole(key)))
  }

  override get purge(): Store['purge'] {
    const { purge } = this.inner
    return (
      purge &&
      ((prefix, options) => {
        const { spares } = options
        const inner = { ...options, ...this.#wholeBounds(options) }
        if (spares) inner.spares = (key) => spares(this.#part(key))
        return purge.call(this.inner, this.#whole(prefix), inner)
      })
    )
  }

  override get blanks(): Store['blanks'] {
    const { blanks } = this.inner
    return (
      blanks &&
      (async (prefix, after) => {
        const { keys, next } = await blanks.call(this.inner, this.#whole(prefix), after)
        return { keys: keys.map((key) => this.#part(key)), next }
      })
    )
  }

  async *#parts<T extends Head>(items: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const item of items) yield { ...item, key: this.#part(item.key) }
  }

  #wholeBounds({ after, before, ...rest }: ListOptions): ListOptions {
    return {
      ...rest,
      after: after === undefined ? undefined : this.#whole(after),
      before: before === undefined ? undefined : this.#whole(before),
    }
  }

  #whole(part: string): string {
    return part === '' ? this.#prefix : `${this.#prefix}/${part}`
  }

  #part(whole: string): string {
    return whole.slice(this.#prefix.length + 1)
  }
}
