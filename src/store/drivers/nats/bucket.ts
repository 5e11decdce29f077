import {
  DiscardPolicy,
  RetentionPolicy,
  StorageType,
  type StoredMsg,
  type StreamConfig,
} from '@nats-io/jetstream'
import { type MsgHdrs, millis, nanos } from '@nats-io/transport-node'
import { StoreError } from '../../error.ts'
import type { Head } from '../../store.ts'
import type { Connection } from './connection.ts'
import { apiCodeOf, apiCodes } from './failure.ts'
import type { WriteMarks } from './message.ts'
import { streamOf, subjectOf } from './subject.ts'

/** A key's last message; `value` is null where it marks the removal of the key. */
interface Last extends Head, WriteMarks {
  readonly value: Uint8Array | null
}

/** Tells a bucket of ours from those of other programs. */
const mark = { 'holdfast.schema': '1' } as const

/** How long a new bucket remembers write ids: longer than any commit is still being settled. */
const duplicateWindowMsMin = 30_000
const duplicateWindowOfTimeout = 2

/** What a bucket can do, read back from its stream. */
interface Abilities {
  readonly atomicBatches: boolean
  /** Whether the mark of a removal may expire: nothing older may then come to light below it. */
  readonly expiringMarks: boolean
  /** How long the server remembers write ids. */
  readonly duplicateWindowMs: number
}

/** One namespace: a KV bucket, made by the first write to it. */
export class Bucket {
  readonly namespace: string
  readonly stream: string
  readonly #connection: Connection
  #abilities: Promise<Abilities> | undefined

  constructor(namespace: string, connection: Connection) {
    this.namespace = namespace
    this.stream = streamOf(namespace)
    this.#connection = connection
  }

  /** Makes the bucket where there is none, and finds out what it can do. Asks the server once. */
  ensure(): Promise<Abilities> {
    this.#abilities ??= this.#make().catch((error: unknown) => {
      this.#abilities = undefined
      throw error
    })
    return this.#abilities
  }

  /** The server says that the bucket is not there (any more): the next write makes it. */
  forget(): void {
    this.#abilities = undefined
  }

  /** The last message of a key, from the leader of the stream: replicas may be behind. */
  last(key: string): Promise<Last | null> {
    const query = { last_by_subj: subjectOf(key) }
    return this.#connection.ask(async () => {
      try {
        const message = await this.#connection.manager.streams.getMessage(this.stream, query)
        return message && lastOf(key, message)
      } catch (error) {
        if (isAbsence(error)) return null
        throw error
      }
    })
  }

  async #make(): Promise<Abilities> {
    const found = await this.#connection.ask(() => this.#findOrAdd())
    checkFit(found, this.namespace)
    const config = await this.#adopt(found)
    return {
      atomicBatches: this.#connection.settings.atomic && config.allow_atomic === true,
      expiringMarks: config.allow_msg_ttl === true && config.max_msgs_per_subject === 1,
      duplicateWindowMs: millis(config.duplicate_window),
    }
  }

  async #findOrAdd(): Promise<StreamConfig> {
    const { streams } = this.#connection.manager
    try {
      return (await streams.info(this.stream)).config
    } catch (error) {
      if (!isAbsence(error)) throw error
    }
    try {
      return (await streams.add(this.#wanted())).config
    } catch (error) {
      // Another client just made it, perhaps with other settings.
      if (apiCodeOf(error) === apiCodes.streamNameInUse)
        return (await streams.info(this.stream)).config
      throw error
    }
  }

  /**
   * Marks a bucket that another tool made as one of ours, and lets it take atomic batches; what counts is what is
   * then read back. Where that is not allowed, it stays as it is.
   */
  async #adopt(config: StreamConfig): Promise<StreamConfig> {
    const wantsBatches = this.#connection.settings.atomic && config.allow_atomic !== true
    if (isOurs(config) && !wantsBatches) return config
    const update = {
      ...config,
      metadata: { ...config.metadata, ...mark },
      ...(wantsBatches ? { allow_atomic: true } : {}),
    }
    try {
      return (await this.#connection.manager.streams.update(this.stream, update)).config
    } catch {
      return config
    }
  }

  #wanted() {
    const { replicas, history, atomic, answerMsMax } = this.#connection.settings
    const windowMs = Math.max(duplicateWindowMsMin, answerMsMax * duplicateWindowOfTimeout)
    return {
      name: this.stream,
      subjects: [`$KV.${this.namespace}.>`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.New,
      max_msgs_per_subject: history,
      num_replicas: replicas,
      // Direct reads may be answered by a replica that is behind.
      allow_direct: false,
      allow_rollup_hdrs: true,
      deny_delete: true,
      allow_msg_ttl: true,
      allow_atomic: atomic,
      duplicate_window: nanos(windowMs),
      metadata: mark,
    }
  }
}

/** Whether a bucket was made by Holdfast. */
export const isOurs = ({ metadata }: StreamConfig): boolean =>
  metadata?.['holdfast.schema'] !== undefined

export const isAbsence = (error: unknown): boolean => {
  const code = apiCodeOf(error)
  return code === apiCodes.messageNotFound || code === apiCodes.streamNotFound
}

export const isRemoval = (headers: MsgHdrs | undefined): boolean =>
  headers !== undefined && headers.get('KV-Operation') !== ''

const lastOf = (key: string, { seq, data, header }: StoredMsg): Last => ({
  key,
  revision: String(seq),
  value: isRemoval(header) ? null : new Uint8Array(data),
  writeId: header.get('Nats-Msg-Id'),
  batchId: header.get('Nats-Batch-Id'),
})

/** Refuses a bucket that somebody made with settings under which acknowledged data would not stay. */
function checkFit(config: StreamConfig, namespace: string): void {
  const flaws = [
    config.max_age > 0 && 'it lets entries expire (max_age)',
    config.discard !== DiscardPolicy.New && 'it discards old entries when full (discard)',
    config.retention !== RetentionPolicy.Limits && `its retention is "${config.retention}"`,
    config.storage !== StorageType.File && 'it is kept in memory (storage)',
    config.sealed && 'it is sealed',
    config.no_ack && 'it does not acknowledge writes (no_ack)',
    (config.mirror || config.sources?.length) && 'it mirrors another bucket',
    !(config.subjects?.length === 1 && config.subjects[0] === `$KV.${namespace}.>`) &&
      'its subjects are not those of a KV bucket',
  ].filter((flaw) => typeof flaw === 'string')
  if (flaws.length === 0) return
  throw new StoreError(
    'foreign_file',
    `The bucket "${namespace}" exists with other settings: ${flaws.join('; ')}. It was left as it is.`,
    'Change its settings, or use an account of NATS where that name is free.',
  )
}
