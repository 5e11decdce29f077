import { AckPolicy, DeliverPolicy, type JsMsg } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
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
  const messages = await lastMessages(connection, bucket, prefix, true)
  const heads = [...messages.values()].map((message) => ({
    key: keyOf(message.subject),
    revision: String(message.seq),
    bytes: Number(message.headers?.get('Nats-Msg-Size')),
  }))
  return heads.sort((a, b) => compareKeys(a.key, b.key))
}

/** All entries below a prefix at once, by key. Only where they are known to be small. */
export async function entriesBelow(
  connection: Connection,
  bucket: Bucket,
  prefix: string,
): Promise<Map<string, Entry>> {
  const messages = await lastMessages(connection, bucket, prefix, false)
  return new Map(
    [...messages.values()].map(({ subject, seq, data }) => {
      const key = keyOf(subject)
      // A copy: the client gives a view of all that arrived with it.
      return [key, { key, revision: String(seq), value: new Uint8Array(data) }]
    }),
  )
}

/** The last message of every key below a prefix, by subject, without those that mark a removal. */
function lastMessages(
  connection: Connection,
  bucket: Bucket,
  prefix: string,
  headersOnly: boolean,
): Promise<Map<string, JsMsg>> {
  return connection.ask(async () => {
    const found = new Map<string, JsMsg>()
    for await (const message of delivered(connection, bucket.stream, prefix, headersOnly))
      if (isRemoval(message.headers)) found.delete(message.subject)
      else found.set(message.subject, message)
    return found
  })
}

/** Messages as they were when it started, in the order of writing, and perhaps some that came since. */
async function* delivered(
  { manager, jetstream }: Connection,
  stream: string,
  prefix: string,
  headersOnly: boolean,
): AsyncGenerator<JsMsg> {
  const consumer = await manager.consumers
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
    // What is newer than the list itself comes after everything that was there before it. One
    // millisecond more, because parsing cuts off what is finer.
    const startedAt = BigInt(Date.parse(consumer.created) + 1) * 1_000_000n
    let isDone = consumer.num_pending === 0
    while (!isDone) {
      const source = jetstream.consumers.getConsumerFromInfo(consumer)
      const batch = await source.fetch({ max_messages: fetchMessagesMax, expires: fetchMs })
      for await (const message of batch) {
        yield message
        isDone = message.info.pending === 0 || message.timestampNanos > startedAt
        if (isDone) break
      }
      if (!isDone && batch.getReceived() === 0) isDone = true
    }
  } finally {
    void manager.consumers.delete(stream, consumer.name).catch(() => {})
  }
}
