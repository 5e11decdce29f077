import type { Version } from '../../abilities.ts'
import { StoreError } from '../../error.ts'
import { guarded } from '../../guard.ts'
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
import { Bucket, type Versioning } from './bucket.ts'
import { S3Client } from './client.ts'
import { credentialSource } from './credentials.ts'
import { entryOf, listed, scanned } from './listing.ts'
import { ProbeMemory } from './memory.ts'
import { nameOf } from './names.ts'
import { type Place, placeOf } from './place.ts'
import { Poller } from './poller.ts'
import { purge } from './purge.ts'
import { tellRequests } from './requests.ts'
import { versionsOf } from './versions.ts'
import { Writer } from './writer.ts'

/** After so long without an answer, the server's clock is looked at again. */
const clockMsMax = 60_000

/**
 * A store in a bucket of S3, or of a server that speaks S3: `s3://BUCKET/PREFIX?endpoint=…&region=…`.
 *
 * Opening reads only. Whether the server keeps to conditions is tried out before the first write. A bucket is
 * never created; with `create: false` one in which nothing was ever written is refused as well.
 */
export async function openS3(url: string, { create = true } = {}): Promise<Store> {
  const place = placeOf(url)
  const client = new S3Client(place, await credentialSource())
  try {
    const bucket = new Bucket(client)
    const versioning = await bucket.versioning()
    // Who may not know that must be allowed to list at least; this is also the first look at the bucket.
    if (versioning === 'hidden' || !create) {
      const { objects } = await bucket.list('', { after: '' }, 1)
      if (!create && objects.length === 0) throw emptyBucket(place)
    }
    const isVersioned = versioning === 'on'
    if (place.isVersionedRequired && !isVersioned) throw unversioned(place)
    const store = guarded(new S3Store(bucket, versioning))
    tellRequests(store, client.requests)
    return store
  } catch (error) {
    client.close()
    throw error
  }
}

class S3Store implements Store {
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
  readonly #probes: ProbeMemory
  readonly #pollers = new Map<string, Poller>()

  constructor(bucket: Bucket, versioning: Versioning) {
    const isVersioned = versioning === 'on'
    this.#bucket = bucket
    this.#writer = new Writer(bucket, isVersioned)
    this.#probes = new ProbeMemory(bucket)
    this.blanks = (prefix, after) => blanksIn(bucket, prefix, after, isVersioned)
    // A bucket that is suspended still has the versions from before.
    if (isVersioned || versioning === 'suspended')
      this.versions = (key): AsyncIterable<Version> => versionsOf(bucket, nameOf(key))
    if (isVersioned)
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

const emptyBucket = ({ shown }: Place): StoreError =>
  new StoreError(
    'missing_store',
    `Nothing was ever stored in ${shown}.`,
    'Check the name of the bucket and the prefix in the URL, or store something first.',
  )

const unversioned = ({ shown }: Place): StoreError =>
  new StoreError(
    'unversioned',
    `The ${shown} keeps no versions of its objects, and they are needed.`,
    'Turn on versioning for the bucket, or leave versioned=true out of the URL.',
  )
