import { StoreError } from '../../../src/store/error.ts'
import { compareKeys } from '../../../src/store/key.ts'
import type {
  CommitResult,
  Entry,
  Head,
  ListOptions,
  Store,
  Write,
} from '../../../src/store/store.ts'
import { ForwardingStore } from '../../../src/store/wrappers/forwarding.ts'
import { eachOf, type Looks, taskIdOf } from './looks.ts'
import { failureFrom } from './refusal.ts'

/** So many objects of a folder are read at most where all are asked for: workers. */
const scannedMax = 200

/** The store for one view: nothing more is read once that was left. */
export class View extends ForwardingStore {
  readonly signal: AbortSignal | undefined

  constructor(store: Store, signal: AbortSignal | undefined) {
    super(store)
    this.signal = signal
  }

  override async get(key: string): Promise<Entry | null> {
    this.signal?.throwIfAborted()
    return this.inner.get(key)
  }

  override get versions(): Store['versions'] {
    const { signal, inner } = this
    const { versions } = inner
    if (!versions) return undefined
    return async function* (key) {
      for await (const version of versions.call(inner, key)) {
        signal?.throwIfAborted()
        yield version
      }
    }
  }
}

/** The same by the looks that all views share. */
export class SharedView extends View {
  readonly #looks: Looks
  /** How many objects were read for it. */
  reads = 0
  /** Tasks that it came upon, and that can't be read. */
  readonly corrupt: string[] = []

  constructor(store: Store, looks: Looks, signal: AbortSignal | undefined) {
    super(store, signal)
    this.#looks = looks
  }

  override async get(key: string): Promise<Entry | null> {
    this.signal?.throwIfAborted()
    const { revisions } = await this.#looks.list(key.slice(0, key.lastIndexOf('/')))
    const revision = revisions.get(key)
    if (revision === undefined) return null
    try {
      return this.#looks.kept(key, revision) ?? (await this.#read(key, revision))
    } finally {
      const id = taskIdOf(key)
      if (id !== null && this.#looks.tally.isCorrupt(id)) this.corrupt.push(id)
    }
  }

  override async *list(prefix: string, options: ListOptions = {}): AsyncGenerator<Head> {
    this.signal?.throwIfAborted()
    const { after, before, limit, reverse = false } = options
    const { revisions } = await this.#looks.list(prefix)
    const heads = Array.from(revisions, ([key, revision]) => ({ key, revision })).filter(
      ({ key }) =>
        (after === undefined || compareKeys(key, after) > 0) &&
        (before === undefined || compareKeys(key, before) < 0),
    )
    yield* (reverse ? heads.reverse() : heads).slice(0, limit)
  }

  override async *scan(prefix: string, options: ListOptions = {}): AsyncGenerator<Entry> {
    const keys: string[] = []
    for await (const { key } of this.list(prefix, options)) keys.push(key)
    const entries = await eachOf(keys.slice(0, scannedMax), (key) => this.get(key))
    for (const entry of entries) if (entry !== null) yield entry
  }

  #read(key: string, revision: string): Promise<Entry | null> {
    this.reads++
    return this.#looks.read(key, revision)
  }
}

/**
 * The store for one action of a person. Once a write has not been answered nothing more is written: the queue may still find out
 * what became of it, and otherwise the person decides.
 */
export class WriteOnce extends ForwardingStore {
  #doubt: StoreError | null = null

  override async commit(writes: readonly Write[]): Promise<CommitResult> {
    if (this.#doubt) throw this.#doubt
    try {
      return await this.inner.commit(writes)
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'unknown_outcome'))
        throw failureFrom(error, true)
      this.#doubt = error
      throw error
    }
  }
}
