import {
  AckPolicy,
  type ConsumerInfo,
  DeliverPolicy,
  type JsMsg,
  type StreamInfo,
} from '@nats-io/jetstream'
import { errors, nanos } from '@nats-io/transport-node'
import { compareKeys } from '../../key.ts'
import type { Entry, Head } from '../../store.ts'
import { type Bucket, isAbsence, isRemoval } from './bucket.ts'
import type { Connection } from './connection.ts'
import { keyOf, subjectsBelow } from './subject.ts'
import { allSubjects, subjectPage } from './subject-pages.ts'

/** A key with the size of its value, so that a scan knows what it is in for. */
export interface SizedHead extends Head {
  readonly bytes: number
}

/** How long a list that was left alone lives on the server. A busy machine may take long with what was fetched. */
const inactiveMs = 30_000
const fetchMs = 2000
const looksInFlight = 64
const fetchMessagesMax = 20_000

/** What is known of a key from its last message; the value only where it was asked for. */
interface Found extends SizedHead {
  readonly value: Uint8Array
}

/** All keys below a prefix, in order. NATS keeps them in the order of writing: they are sorted here. */
export async function headsBelow(
  connection: Connection,
  bucket: Bucket,
  prefix: string,
): Promise<SizedHead[]> {
  const found = await lastOfEach(connection, bucket, prefix, true)
  return [...found.values()].sort((a, b) => compareKeys(a.key, b.key))
}

/** All entries below a prefix at once, by key. Only where they are known to be small. */
export async function entriesBelow(
  connection: Connection,
  bucket: Bucket,
  prefix: string,
): Promise<Map<string, Entry>> {
  const found = await lastOfEach(connection, bucket, prefix, false)
  const entries = [...found.values()].map(({ key, revision, value }) => ({ key, revision, value }))
  return new Map(entries.map((entry) => [entry.key, entry]))
}

/** The last message of every key below a prefix, without those that mark a removal. */
function lastOfEach(
  connection: Connection,
  bucket: Bucket,
  prefix: string,
  headersOnly: boolean,
): Promise<Map<string, Found>> {
  return connection.ask(async () => {
    const found = new Map<string, Found>()
    const info = await infoOf(connection, bucket.stream)
    if (info === null) return found
    // Consumers live on any node of a cluster, and a replica may not have yet what its leader has
    // acknowledged. So there the leader names the keys, and is asked for each of them.
    if (info.config.num_replicas > 1) {
      await lookAll(bucket, await keysBelow(connection, bucket.stream, prefix), found)
      return found
    }
    const seen = new Set<string>()
    const list = new Delivery(connection, info, prefix, headersOnly)
    let delivered = 0
    for await (const message of list.messages()) {
      const key = keyOf(message.subject)
      seen.add(key)
      // A later message is not one of those that were expected, and may be of a key that is new.
      if (message.seq <= info.state.last_seq) delivered++
      if (isRemoval(message.headers)) found.delete(key)
      else found.set(key, foundIn(key, message, headersOnly))
    }
    // What was overwritten meanwhile has moved to the end of the stream, behind where the list stopped.
    if (delivered < list.expected) {
      const keys = await keysBelow(connection, bucket.stream, prefix)
      const missing = keys.filter((key) => !seen.has(key))
      await lookAll(bucket, missing, found)
    }
    return found
  })
}

async function infoOf({ manager }: Connection, stream: string): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(stream)
  } catch (error) {
    if (isAbsence(error)) return null
    throw error
  }
}

async function lookAll(
  bucket: Bucket,
  keys: readonly string[],
  found: Map<string, Found>,
): Promise<void> {
  for (let at = 0; at < keys.length; at += looksInFlight)
    await Promise.all(keys.slice(at, at + looksInFlight).map((key) => look(bucket, key, found)))
}

function foundIn(key: string, { seq, headers, data }: JsMsg, headersOnly: boolean): Found {
  // A copy: the message is a view of all that arrived with it.
  const value = headersOnly ? nothing : new Uint8Array(data)
  const bytes = headersOnly ? Number(headers?.get('Nats-Msg-Size')) : value.byteLength
  return { key, revision: String(seq), bytes, value }
}

const nothing = new Uint8Array()

async function look(bucket: Bucket, key: string, found: Map<string, Found>): Promise<void> {
  const last = await bucket.last(key)
  if (last === null || last.value === null) return
  const { revision, value } = last
  found.set(key, { key, revision, bytes: value.byteLength, value })
}

async function keysBelow(
  connection: Connection,
  stream: string,
  prefix: string,
): Promise<string[]> {
  const filter = subjectsBelow(prefix)
  const subjects = await allSubjects((offset) =>
    subjectPage(connection, { stream, filter, offset }),
  )
  return [...subjects].map(keyOf)
}

/**
 * The last messages of a stream, in the order of writing, up to where it ended when the list began. Throws where
 * some did not arrive: what was on its way when a connection broke is not sent again.
 */
class Delivery {
  /** How many keys there were, removed ones included. */
  expected = 0
  readonly #connection: Connection
  readonly #stream: string
  readonly #lastSequence: number
  readonly #prefix: string
  readonly #headersOnly: boolean

  constructor(connection: Connection, info: StreamInfo, prefix: string, headersOnly: boolean) {
    this.#connection = connection
    this.#stream = info.config.name
    this.#lastSequence = info.state.last_seq
    this.#prefix = prefix
    this.#headersOnly = headersOnly
  }

  async *messages(): AsyncGenerator<JsMsg> {
    const { consumers } = this.#connection.manager
    const consumer = await consumers.add(this.#stream, this.#config())
    this.expected = consumer.num_pending
    try {
      if (consumer.num_pending > 0) yield* this.#pending(consumer)
    } finally {
      void consumers.delete(this.#stream, consumer.name).catch(() => {})
    }
  }

  #config() {
    return {
      filter_subject: subjectsBelow(this.#prefix),
      headers_only: this.#headersOnly,
      deliver_policy: DeliverPolicy.LastPerSubject,
      ack_policy: AckPolicy.None,
      mem_storage: true,
      num_replicas: 1,
      inactive_threshold: nanos(inactiveMs),
    }
  }

  async *#pending(consumer: ConsumerInfo): AsyncGenerator<JsMsg> {
    const { jetstream, manager } = this.#connection
    const source = jetstream.consumers.getConsumerFromInfo(consumer)
    for (let count = 0; ; ) {
      const before = count
      const batch = await source.fetch({ max_messages: fetchMessagesMax, expires: fetchMs })
      const forget = this.#connection.onReconnect(() => void batch.close())
      try {
        for await (const message of batch) {
          if (message.info.deliverySequence !== ++count) throw new errors.TimeoutError()
          yield message
          if (message.info.pending === 0 || message.seq >= this.#lastSequence) return
        }
      } finally {
        forget()
      }
      const info = await manager.consumers.info(this.#stream, consumer.name)
      if (info.delivered.consumer_seq > count) throw new errors.TimeoutError()
      // What was pending may have expired meanwhile.
      if (info.num_pending === 0) return
      if (count === before) throw new errors.TimeoutError()
    }
  }
}
