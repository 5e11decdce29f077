import type { Answer } from './answer.ts'
import { unstamp } from './body.ts'
import type { Ask, Deadline, S3Client } from './client.ts'
import { flawOfObject, foreignServerError, Refusal, storeErrorOf } from './failure.ts'
import { Gate } from './gate.ts'
import {
  type ListedObject,
  type ListedVersion,
  parseObjects,
  parseVersioning,
  parseVersions,
} from './xml.ts'

/** Says which write an object came from; a look at the object tells then whether an answer was lost. */
export const writeHeader = 'x-amz-meta-holdfast-write'
/** Says which state that write replaced. */
export const afterHeader = 'x-amz-meta-holdfast-after'
/** Says that the body is the value, byte for byte. */
export const plainHeader = 'x-amz-meta-holdfast-plain'

/** What AWS calls its servers; of others it is not known. */
const exactServer = 'AmazonS3'

/** The most that S3 lists at a time. */
export const pageItemsMax = 1000

const foundOrNot = [200, 404]

const queryFor = (version: string | undefined): Pick<Ask, 'query'> | undefined =>
  version === undefined ? undefined : { query: { versionId: version } }

interface StoredObject {
  readonly etag: string
  readonly value: Uint8Array
}

/** What a look at an object tells without its body. */
export interface ObjectState {
  readonly etag: string
  readonly isEmpty: boolean
  readonly writeId: string | undefined
  readonly after: string | undefined
  /** Whether these two may be hidden: that they are missing then says nothing. */
  readonly isHidden: boolean
}

export interface VersionsPage {
  readonly versions: readonly ListedVersion[]
  /** Where the next page starts, behind all of the key without a version; null at the end. */
  readonly next: { readonly key: string; readonly version: string } | null
}

/** Where nothing ever lies. */
const absentName = 'holdfast/.store/absent'

/** Whether a bucket keeps versions; `hidden` where this user may not know. */
export type Versioning = NonNullable<ReturnType<typeof parseVersioning>> | 'hidden'

/** The bucket as objects by name, without conditions. What fails is a `StoreError`. */
export class Bucket {
  readonly client: S3Client
  readonly #gate: Gate
  /** Whether an object could be read. */
  #hasRead = false

  constructor(client: S3Client) {
    this.client = client
    this.#gate = new Gate(client.place, client.atOnceMax)
  }

  /** Runs a call when its turn has come, with a deadline of its own, and says what its failure means. */
  async run<T>(call: (deadline: Deadline) => Promise<T>): Promise<T> {
    // To wait for nothing would still cost a turn.
    const turn = this.#gate.enter()
    if (turn) await turn
    try {
      const result = await call(this.client.deadline())
      this.#gate.progress()
      return result
    } catch (error) {
      throw storeErrorOf(error, this.client.place)
    } finally {
      this.#gate.leave()
    }
  }

  /** An object and its value; null where there is none, or an empty one. */
  get(name: string, version?: string): Promise<StoredObject | null> {
    return this.run(async (deadline) => {
      const ask: Ask = { kind: 'GET', name: this.#fullName(name), ...queryFor(version) }
      const answer = await this.client.read(ask, foundOrNot, deadline)
      if (answer.status === 404 || answer.body.byteLength === 0) return this.#absent(answer)
      this.#hasRead = true
      const isPlain = answer.headers[plainHeader] !== undefined
      const value = isPlain ? new Uint8Array(answer.body) : unstamp(answer.body)
      return { etag: etagOf(answer), value }
    })
  }

  /** Why this object can't be read, where a failure to do so is its own and not that of the account. */
  async flawOf(error: unknown): Promise<string | null> {
    const flaw = flawOfObject(error)
    if (flaw === null) return null
    // Who may not read at all is not told either that there is nothing.
    this.#hasRead ||= await this.get(absentName).then(
      () => true,
      () => false,
    )
    return this.#hasRead ? flaw : null
  }

  async look(name: string, deadline: Deadline, version?: string): Promise<ObjectState | null> {
    const ask: Ask = { kind: 'HEAD', name: this.#fullName(name), ...queryFor(version) }
    const { status, headers, isFiltered } = await this.client.read(ask, foundOrNot, deadline)
    if (status === 404) return null
    const writeId = headers[writeHeader] as string | undefined
    return {
      etag: etagOf({ headers }),
      isEmpty: headers['content-length'] === '0',
      writeId,
      after: headers[afterHeader] as string | undefined,
      isHidden: isFiltered === true && writeId === undefined,
    }
  }

  /**
   * Objects whose names begin with `folder`, from where `from` says; null as `nextToken` is the end. The names
   * have no store prefix.
   */
  async list(
    folder: string,
    from: { readonly after: string } | { readonly token: string },
    itemsMax: number,
  ): Promise<{ objects: ListedObject[]; nextToken: string | null }> {
    const { prefix } = this.client.place
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      'max-keys': String(itemsMax),
      prefix: prefix + folder,
      ...('token' in from ? { 'continuation-token': from.token } : {}),
      ...('after' in from && from.after !== '' ? { 'start-after': prefix + from.after } : {}),
    }
    const { body } = await this.run((deadline) =>
      this.client.read({ kind: 'LIST', name: '', query }, [200], deadline),
    )
    const page = parseObjects(body) ?? this.#foreign()
    const objects = page.objects.map((object) => ({
      ...object,
      name: object.name.slice(prefix.length),
    }))
    return { objects, nextToken: page.nextToken }
  }

  /**
   * Whether lists may start after any name. MinIO sorts folders without their slash, and so puts `a/b` before
   * `a-b`; a list that starts in the midst of such names, and goes over several pages, misses some of them.
   */
  get startsAnywhere(): boolean {
    return this.client.server === exactServer
  }

  /** The versions of an object, newest first, from `from` on. */
  async versions(
    name: string,
    from: VersionsPage['next'],
    itemsMax: number,
    deadline?: Deadline,
  ): Promise<VersionsPage> {
    const page = await this.versionsBelow(name, from, itemsMax, deadline)
    const versions = page.versions.filter((version) => version.name === name)
    // Other objects whose names begin with this one come after it: they end the list.
    return { versions, next: versions.length === page.versions.length ? page.next : null }
  }

  /** The versions of all objects whose names begin so, object by object, each newest first. */
  async versionsBelow(
    start: string,
    from: VersionsPage['next'],
    itemsMax: number,
    deadline?: Deadline,
  ): Promise<VersionsPage> {
    const { prefix } = this.client.place
    const query = {
      versions: '',
      'encoding-type': 'url',
      'max-keys': String(itemsMax),
      prefix: prefix + start,
      ...(from === null
        ? {}
        : {
            'key-marker': from.key,
            ...(from.version === '' ? {} : { 'version-id-marker': from.version }),
          }),
    }
    const ask = { kind: 'LIST', name: '', query } as const
    const { body } = deadline
      ? await this.client.read(ask, [200], deadline)
      : await this.run((own) => this.client.read(ask, [200], own))
    const { versions, next } = parseVersions(body) ?? this.#foreign()
    const named = versions.map((each) => ({ ...each, name: each.name.slice(prefix.length) }))
    return { versions: named, next }
  }

  versioning(): Promise<Versioning> {
    return this.run(async (deadline) => {
      const ask = { kind: 'GET', name: '', query: { versioning: '' } } as const
      const answer = await this.client.read(ask, [200, 403], deadline)
      if (answer.status === 200) {
        return parseVersioning(answer.body) ?? this.#foreign()
      }
      const refusal = new Refusal(answer)
      if (refusal.word === 'AccessDenied') return 'hidden'
      throw refusal
    })
  }

  /** Sends a request that changes something, once. */
  send(ask: Ask, deadline: Deadline): Promise<Answer> {
    return this.client.once({ ...ask, name: this.#fullName(ask.name) }, deadline)
  }

  #fullName(name: string): string {
    return this.client.place.prefix + name
  }

  /** A 404 may also mean that the whole bucket is gone, or that this is no S3 at all. */
  #absent(answer: Answer): null {
    if (answer.status !== 404) return null
    const refusal = new Refusal(answer)
    if (refusal.isFromS3 && refusal.word !== 'NoSuchBucket') return null
    throw refusal
  }

  #foreign(): never {
    throw foreignServerError(this.client.place.shown)
  }
}

/** The revision of an answer's object: its ETag without the quotes. */
export function etagOf({ headers }: Pick<Answer, 'headers'>): string {
  const etag = String(headers['etag'] ?? '')
  return etag.slice(etag.startsWith('"') ? 1 : 0, etag.endsWith('"') ? -1 : undefined)
}
