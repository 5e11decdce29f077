import { AckPolicy, type ConsumerInfo, DeliverPolicy, type JsMsg } from '@nats-io/jetstream'
import { errors, nanos } from '@nats-io/transport-node'
import { compareKeys } from '../../key.ts'
import type { Entry, Head } from '../../store.ts'
import { type Bucket, isAbsence, isRemoval } from './bucket.ts'
import type { Connection } from './connection.ts'
import { keyOf, subjectsBelow } from './subject.ts'

/** A key with the size of its value, so that a scan knows what it is in for. */
export interface SizedHead extends Head {
  readonly bytes: number
}

/** How long a list that was left alone lives on the server. */
const inactiveMs = 5000
const fetchMs = 2000
const fetchMessagesMax = 20_000

/** All keys below a prefix, in order. NATS keeps them in the order of writing: they are sorted here. */
export async function headsBelow(
  connection: Connection,
  bucket: Bucket,
  prefix: string,
): Promise<SizedHead[]> {
  const heads = await lastOfEach(connection, bucket, prefix, true, (key, { seq, headers }) => ({
    key,
    revision: String(seq),
    bytes: Number(headers?.get('Nats-Msg-Size')),
  }))
  return [...heads.values()].sort((a, b) => compareKeys(a.key, b.key))
}

/** All entries below a prefix at once, by key. Only where they are known to be small. */
export function entriesBelow(
  connection: Connection,
  bucket: Bucket,
  prefix: string,
): Promise<Map<string, Entry>> {
  return lastOfEach(connection, bucket, prefix, false, (key, { seq, data }) => ({
    key,
    revision: String(seq),
    value: new Uint8Array(data),
  }))
}

/**
 * What is wanted of the last message of every key below a prefix, without those that mark a removal. The
 * messages themselves are let go at once: each is a view of all that arrived with it.
 */
function lastOfEach<T>(
  connection: Connection,
  bucket: Bucket,
  prefix: string,
  headersOnly: boolean,
  pick: (key: string, message: JsMsg) => T,
): Promise<Map<string, T>> {
  return connection.ask(async () => {
    const found = new Map<string, T>()
    for await (const message of delivered(connection, bucket.stream, prefix, headersOnly)) {
      const key = keyOf(message.subject)
      if (isRemoval(message.headers)) found.delete(key)
      else found.set(key, pick(key, message))
    }
    return found
  })
}

/**
 * Messages as they were when it started, in the order of writing, and perhaps some that came since. Throws
 * where some did not arrive: what was on its way when a connection broke is not sent again.
 */
async function* delivered(
  connection: Connection,
  stream: string,
  prefix: string,
  headersOnly: boolean,
): AsyncGenerator<JsMsg> {
  const { consumers } = connection.manager
  const consumer = await consumers
    .add(stream, {
      filter_subject: subjectsBelow(prefix),
      headers_only: headersOnly,
      deliver_policy: DeliverPolicy.LastPerSubject,
      ack_policy: AckPolicy.None,
      mem_storage: true,
      num_replicas: 1,
      inactive_threshold: nanos(inactiveMs),
    })
    .catch((error: unknown) => {
      if (isAbsence(error)) return null
      throw error
    })
  if (!consumer) return
  try {
    if (consumer.num_pending > 0) yield* pending(connection, stream, consumer)
  } finally {
    void consumers.delete(stream, consumer.name).catch(() => {})
  }
}

async function* pending(
  connection: Connection,
  stream: string,
  consumer: ConsumerInfo,
): AsyncGenerator<JsMsg> {
  // What is newer than the list itself comes after everything that was there before it. One millisecond
  // more, because parsing cuts off what is finer.
  const startedAt = BigInt(Date.parse(consumer.created) + 1) * 1_000_000n
  const source = connection.jetstream.consumers.getConsumerFromInfo(consumer)
  for (let count = 0; ; ) {
    const before = count
    const batch = await source.fetch({ max_messages: fetchMessagesMax, expires: fetchMs })
    const forget = connection.onReconnect(() => void batch.close())
    try {
      for await (const message of batch) {
        if (message.info.deliverySequence !== ++count) throw new errors.TimeoutError()
        yield message
        if (message.info.pending === 0 || message.timestampNanos > startedAt) return
      }
    } finally {
      forget()
    }
    const info = await connection.manager.consumers.info(stream, consumer.name)
    if (info.delivered.consumer_seq > count) throw new errors.TimeoutError()
    // What was pending may have expired meanwhile.
    if (info.num_pending === 0) return
    if (count === before) throw new errors.TimeoutError()
  }
}
