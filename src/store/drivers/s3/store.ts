import type { PurgeOptions, Version } from '../../abilities.ts'
import { isBelow } from '../../key.ts'
import {
  type CommitResult,
  type Entry,
  type Head,
  type ListOptions,
  type Store,
  valueBytesMax,
  type WatchEvent,
  type Write,
} from '../../store.ts'
import { blanksIn } from './blanks.ts'
import type { Bucket, Versioning } from './bucket.ts'
import { entryOf, listed, scanned } from './listing.ts'
import { nameOf } from './names.ts'
import { Poller } from './poller.ts'
import { versionsOf } from './versions.ts'
import { Writer } from './writer.ts'

/** After so long without an answer, the server's clock is looked at again. */
const clockMsMax = 60_000

/** What a store needs to know of its server, and what only programs do with it. */
interface S3StoreOptions {
  readonly versioning: Versioning
  /** What was found out of the server before the first write; throws where that is not safe. */
  readonly probes: { result(): Promise<{ readonly isDeletionSafe: boolean }> }
  readonly purge?: (
    bucket: Bucket,
    prefix: string,
    options: PurgeOptions,
    now: number,
  ) => Promise<number>
}

/** Keys as objects of a bucket. Runs in a browser, too. */
export class S3Store implements Store {
  readonly limits = {
    commitWritesMax: 1,
    commitSpan: 'store',
    valueBytesMax,
    watch: 'poll',
    // It rests on the server: S3 answers a PUT only after it has stored the object on several machines, MinIO after
    // it has synced the bytes to its disks (seen with strace: O_DSYNC for small objects, fdatasync for large ones).
    durability: 'durable',
    // Where removals leave empty objects, as on MinIO, a list passes over all of them.
    listCost: 'prefix',
  } as const
  readonly versions: Store['versions']
  /** Without versions nothing could be deleted that another may just have created anew. */
  readonly purge: Store['purge']
  readonly blanks: Store['blanks']
  readonly #bucket: Bucket
  readonly #writer: Writer
  readonly #probes: S3StoreOptions['probes']
  readonly #pollers = new Map<string, Poller>()

  constructor(bucket: Bucket, { versioning, probes, purge }: S3StoreOptions) {
    const isVersioned = versioning === 'on'
    this.#bucket = bucket
    this.#writer = new Writer(bucket, isVersioned)
    this.#probes = probes
    this.blanks = (prefix, after) => blanksIn(bucket, prefix, after, isVersioned)
    // A bucket that is suspended still has the versions from before.
    if (isVersioned || versioning === 'suspended')
      this.versions = (key): AsyncIterable<Version> => versionsOf(bucket, nameOf(key))
    if (isVersioned && purge)
      this.purge = async (prefix, options) => purge(bucket, prefix, options, await this.now())
  }

  get(key: string): Promise<Entry | null> {
    return entryOf(this.#bucket, key)
  }

  list(prefix: string, options: ListOptions = {}): AsyncIterable<Head> {
    return listed(this.#bucket, prefix, options)
  }

  scan(prefix: string, options: ListOptions = {}): AsyncIterable<Entry> {
    return scanned(this.#bucket, prefix, options)
  }

  async commit(writes: readonly Write[]): Promise<CommitResult> {
    const [write] = writes as readonly [Write]
    const { isDeletionSafe } = await this.#probes.result()
    this.#writer.isDeletionSafe = isDeletionSafe
    const result = await this.#writer.commit(write)
    if (result.ok) this.#tell(write.key, result.revisions[0] ?? null)
    return result
  }

  watch(prefix: string, signal?: AbortSignal): AsyncIterable<WatchEvent> {
    const poller =
      this.#pollers.get(prefix) ??
      new Poller(this.#bucket, prefix, () => this.#pollers.delete(prefix))
    this.#pollers.set(prefix, poller)
    return poller.watch(signal)
  }

  async now(): Promise<number> {
    const { clock, heardAt } = this.#bucket.client
    if (!clock.isKnown || performance.now() - heardAt > clockMsMax) await this.#bucket.versioning()
    return clock.now()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const poller of this.#pollers.values()) poller.stop()
    this.#bucket.client.close()
  }

  #tell(key: string, revision: string | null): void {
    for (const [prefix, poller] of this.#pollers)
      if (isBelow(key, prefix)) poller.note(key, revision)
  }
}
