import { StoreError } from '../../error.ts'
import { Feed } from '../../feed.ts'
import { guarded } from '../../guard.ts'
import { compareKeys, keyRange, namespaceOf } from '../../key.ts'
import { ServerClock } from '../../server-clock.ts'
import {
  type CommitResult,
  commitWritesMax,
  type Entry,
  type Head,
  type ListOptions,
  type Store,
  type StoreLimits,
  valueBytesMax,
  type WatchEvent,
  type Write,
} from '../../store.ts'
import { Bucket, isOurs } from './bucket.ts'
import { type Connection, connectNats } from './connection.ts'
import { durabilityOf } from './durability.ts'
import { entriesBelow, headsBelow, type SizedHead } from './listing.ts'
import { namespaceOfStream } from './subject.ts'
import { Tail } from './tail.ts'
import { parseNatsUrl } from './url.ts'
import { Writer } from './writer.ts'

/** The first server whose streams take several writes at once or not at all. */
const atomicVersionMin = [2, 12] as const
/** A scan of at most so many bytes is fetched at once, a larger one key by key. */
const bulkBytesMax = 32_000_000
const bulkKeysMin = 64
const getsInFlight = 64
const clockLookMs = 10_000
/** What our headers take of the payload that a server allows. */
const headerBytesMax = 400

/** A store on NATS JetStream: `rest` is what follows `nats:` in its URL. */
export async function openNats(rest: string, { create = true } = {}): Promise<Store> {
  const connection = await connectNats(parseNatsUrl(rest))
  const store = new NatsStore(connection)
  try {
    await store.open(create)
    return guarded(store)
  } catch (error) {
    await connection.nats.close()
    throw connection.explain(error)
  }
}

class NatsStore implements Store {
  readonly #connection: Connection
  readonly #buckets = new Map<string, { bucket: Bucket; writer: Writer }>()
  readonly #clock = new ServerClock()
  #clockLookedAt = Number.NEGATIVE_INFINITY
  #atomicBatches: boolean
  #durability: StoreLimits['durability'] = 'unverified'

  constructor(connection: Connection) {
    this.#connection = connection
    this.#atomicBatches = connection.settings.atomic && isAtLeast(connection.nats.info?.version)
  }

  get limits(): Store['limits'] {
    return {
      commitWritesMax: this.#atomicBatches ? commitWritesMax : 1,
      commitSpan: 'namespace',
      valueBytesMax,
      watch: 'push',
      durability: this.#durability,
      // A consumer gives the keys in the order of writing, with the marks of removed ones among them.
      listCost: 'prefix',
    }
  }

  get engine(): string {
    return `NATS ${this.#connection.nats.info?.version ?? 'server'}`
  }

  /** Looks at the buckets that are there: without any there is no store yet. */
  async open(create: boolean): Promise<void> {
    const namespaces = await this.#namespaces()
    if (!create && namespaces.length === 0)
      throw new StoreError(
        'missing_store',
        `There is no store on ${this.#connection.shown}: no bucket of Holdfast's.`,
        'Check the host; a command that adds something creates the store.',
      )
    this.#durability = await durabilityOf(this.#connection.settings.monitors)
    const abilities = await Promise.all(namespaces.map((name) => this.#bucket(name).ensure()))
    if (!abilities.every(({ atomicBatches }) => atomicBatches)) this.#atomicBatches = false
  }

  async get(key: string): Promise<Entry | null> {
    const last = await this.#bucket(namespaceOf(key)).last(key)
    if (last === null || last.value === null) return null
    return { key, revision: last.revision, value: last.value }
  }

  async *list(prefix: string, options: ListOptions = {}): AsyncGenerator<Head> {
    for (const { key, revision } of await this.#heads(prefix, options)) yield { key, revision }
  }

  async *scan(prefix: string, options: ListOptions = {}): AsyncGenerator<Entry> {
    const heads = await this.#heads(prefix, options)
    const bytes = heads.reduce((sum, head) => sum + head.bytes, 0)
    if (heads.length < bulkKeysMin || bytes > bulkBytesMax) yield* this.#oneByOne(heads)
    else yield* this.#inBulk(prefix, heads)
  }

  async commit(writes: readonly Write[]): Promise<CommitResult> {
    this.#checkPayloads(writes)
    return this.#entry(namespaceOf(writes[0]!.key)).writer.commit(writes)
  }

  async *watch(prefix: string, signal?: AbortSignal): AsyncGenerator<WatchEvent> {
    const feed = new Feed()
    const tail = new Tail(this.#connection, feed, prefix, () => this.#namespaces())
    // At once, for nobody may be reading any more who would notice.
    signal?.addEventListener('abort', () => void tail.stop(), { once: true })
    try {
      await tail.start()
      yield* feed.watch(prefix, signal)
    } finally {
      await tail.stop()
    }
  }

  async now(): Promise<number> {
    if (performance.now() - this.#clockLookedAt > clockLookMs) await this.#lookAtClock()
    // Where nothing is stored yet there is nothing that tells the time, and nothing that waits for one.
    return this.#clock.isKnown ? this.#clock.now() : Date.now()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.nats.close()
  }

  async #heads(prefix: string, options: ListOptions): Promise<SizedHead[]> {
    const namespaces = prefix === '' ? await this.#namespaces() : [namespaceOf(prefix)]
    const parts = await Promise.all(
      namespaces.map((name) => headsBelow(this.#connection, this.#bucket(name), prefix || name)),
    )
    const { from, to } = keyRange(prefix, options)
    const isInside = ({ key }: Head) => compareKeys(key, from) > 0 && compareKeys(key, to) < 0
    const heads = parts.flat().filter(isInside)
    return (options.reverse ? heads.reverse() : heads).slice(0, options.limit)
  }

  async *#inBulk(prefix: string, heads: readonly SizedHead[]): AsyncGenerator<Entry> {
    const namespaces = new Set(heads.map(({ key }) => namespaceOf(key)))
    const maps = new Map<string, Map<string, Entry>>()
    for (const name of namespaces)
      maps.set(name, await entriesBelow(this.#connection, this.#bucket(name), prefix || name))
    for (const { key } of heads) {
      const entry = maps.get(namespaceOf(key))?.get(key)
      if (entry) yield entry
    }
  }

  async *#oneByOne(heads: readonly SizedHead[]): AsyncGenerator<Entry> {
    for (let at = 0; at < heads.length; at += getsInFlight) {
      const keys = heads.slice(at, at + getsInFlight).map(({ key }) => key)
      for (const entry of await Promise.all(keys.map((key) => this.get(key))))
        if (entry) yield entry
    }
  }

  /** The namespaces that have a bucket of ours, in order. */
  #namespaces(): Promise<string[]> {
    return this.#connection.ask(async () => {
      const names: string[] = []
      for await (const { config } of this.#connection.manager.streams.list('$KV.>')) {
        const namespace = namespaceOfStream(config.name)
        if (namespace !== null && isOurs(config)) names.push(namespace)
      }
      return names.sort()
    })
  }

  async #lookAtClock(): Promise<void> {
    const [namespace] = await this.#namespaces()
    if (namespace === undefined) return
    await this.#connection.ask(async () => {
      const asked = performance.now()
      const { ts } = await this.#connection.manager.streams.info(this.#bucket(namespace).stream)
      const time = Date.parse(ts as string)
      this.#clock.observe({ asked, heard: performance.now(), earliest: time, latest: time })
    })
    this.#clockLookedAt = performance.now()
  }

  /** The server may take less than we do, and ends the connection of whoever sends more. */
  #checkPayloads(writes: readonly Write[]): void {
    const max =
      (this.#connection.nats.info?.max_payload ?? Number.POSITIVE_INFINITY) - headerBytesMax
    for (const write of writes)
      if (write.type !== 'remove' && write.value.byteLength > max)
        throw new StoreError(
          'too_large',
          `The value for ${write.key} has ${write.value.byteLength} bytes; this NATS server takes ${max}.`,
          'Store less, or raise max_payload in the configuration of the server.',
        )
  }

  #bucket(namespace: string): Bucket {
    return this.#entry(namespace).bucket
  }

  #entry(namespace: string): { bucket: Bucket; writer: Writer } {
    let entry = this.#buckets.get(namespace)
    if (!entry) {
      const bucket = new Bucket(namespace, this.#connection)
      entry = { bucket, writer: new Writer(this.#connection, bucket) }
      this.#buckets.set(namespace, entry)
    }
    return entry
  }
}

function isAtLeast(version = '0.0'): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [majorMin, minorMin] = atomicVersionMin
  return major > majorMin || (major === majorMin && minor >= minorMin)
}
