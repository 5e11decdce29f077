import { headers } from '@nats-io/transport-node'
import { ulid } from 'ulid'
import type { Write } from '../../store.ts'
import type { Connection } from './connection.ts'
import { apiCodes } from './failure.ts'
import { subjectOf } from './subject.ts'

/** A write as the server gets it: what to store, and what must be the last message of the key. */
export interface Message {
  readonly key: string
  readonly type: Write['type']
  readonly payload: Uint8Array
  readonly writeId: string
  expected: string
}

/** By what a stored message tells who wrote it; empty where it does not. */
export interface WriteMarks {
  readonly writeId: string
  readonly batchId: string
}

/** What the server said to one or several messages. */
export type Answer =
  | { readonly type: 'applied'; readonly lastSequence: number }
  /** Some key was not in the expected state; nothing was written. */
  | { readonly type: 'refused' }
  /** The same write ids were applied before. */
  | { readonly type: 'duplicate'; readonly lastSequence: number | null }
  /** The server could not, and wrote nothing. */
  | { readonly type: 'failed'; readonly reason: string; readonly code: number | undefined }

/** How long the mark of a removal stays: longer than anybody still holds the revision before it. */
const removalTtl = '1h'
const nothing = new Uint8Array()
const absent = '0'

/** Unique among all processes by its first part; drawing that anew each time would cost more than the rest. */
const processId = ulid()
let ids = 0
let batches = 0
const uniqueId = (): string => `${processId}-${++ids}`

export const messageOf = (write: Write): Message => ({
  key: write.key,
  type: write.type,
  payload: write.type === 'remove' ? nothing : write.value,
  writeId: uniqueId(),
  expected: write.type === 'create' ? absent : write.revision,
})

/** Sends a single message; others may be under way at the same time. */
export async function sendOne(
  connection: Connection,
  message: Message,
  expiringMarks: boolean,
): Promise<Answer> {
  const own = headersOf(message, expiringMarks)
  own.set('Nats-Msg-Id', message.writeId)
  return answerOf(await connection.request(subjectOf(message.key), message.payload, own))
}

/**
 * Sends messages that the server applies together or not at all; their keys are distinct. Only the first
 * carries its write id, because remembering every id costs the server a fifth of its throughput; the others
 * are known by their batch.
 */
export async function sendBatch(
  connection: Connection,
  messages: readonly Message[],
  expiringMarks: boolean,
): Promise<Answer> {
  // Each try is a batch of its own: the server may hold the beginning of the one before.
  const batchId = `${messages[0]?.writeId}.${++batches}`
  for (const [index, message] of messages.entries()) {
    const own = headersOf(message, expiringMarks)
    if (index === 0) own.set('Nats-Msg-Id', message.writeId)
    own.set('Nats-Batch-Id', batchId)
    own.set('Nats-Batch-Sequence', String(index + 1))
    const subject = subjectOf(message.key)
    if (index < messages.length - 1) {
      connection.nats.publish(subject, message.payload, { headers: own })
      continue
    }
    own.set('Nats-Batch-Commit', '1')
    return answerOf(await connection.request(subject, message.payload, own))
  }
  throw new Error('an empty batch')
}

/** Whether a stored message is one of these, sent alone or in a batch. */
export const isOneOf = ([first]: readonly Message[], { writeId, batchId }: WriteMarks): boolean =>
  first !== undefined && (writeId === first.writeId || batchId.startsWith(`${first.writeId}.`))

function headersOf({ type, expected }: Message, expiringMarks: boolean) {
  const own = headers()
  own.set('Nats-Expected-Last-Subject-Sequence', expected)
  if (type !== 'remove') return own
  own.set('KV-Operation', 'DEL')
  if (expiringMarks) own.set('Nats-TTL', removalTtl)
  return own
}

function answerOf(data: Uint8Array): Answer {
  const answer = JSON.parse(new TextDecoder().decode(data)) as {
    seq?: number
    duplicate?: boolean
    error?: { err_code?: number; description?: string }
  }
  if (!answer.error)
    return answer.duplicate
      ? { type: 'duplicate', lastSequence: answer.seq ?? null }
      : { type: 'applied', lastSequence: answer.seq as number }
  switch (answer.error.err_code) {
    case apiCodes.wrongLastSequence:
    case apiCodes.wrongLastSequenceInBatch:
      return { type: 'refused' }
    case apiCodes.duplicateInBatch:
      return { type: 'duplicate', lastSequence: null }
    default:
      return {
        type: 'failed',
        reason: answer.error.description ?? 'no reason given',
        code: answer.error.err_code,
      }
  }
}
