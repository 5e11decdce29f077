import { createHash } from 'node:crypto'
import { escapeSegment, isSegment, unescapeSegment } from '../store/internal.ts'
import type { StoredTask } from './task.ts'

/*
 * Where things lie, all in one namespace, so that every store with transactions can write them at once:
 *
 *   tasks/task/{id}                     the task
 *   tasks/idem/{idempotency key}        the id of its task
 *   tasks/created/{time}-{id}           every task, by creation
 *   tasks/status/{status}/{time}-{id}   the same by status; where it is claimed, -{time of the claim} follows
 *
 * Times are milliseconds since the epoch in 15 digits.
 */
export const taskPrefix = 'tasks/task'
export const keyPrefix = 'tasks/idem'
export const createdPrefix = 'tasks/created'
export const statusPrefix = 'tasks/status'

/** An escaped id or key that is longer does not go into a key of the store. */
export const segmentBytesMax = 200

/** Whether a task can have this id: any text that fits into the keys. */
export const isId = (id: unknown): id is string =>
  typeof id === 'string' &&
  id !== '' &&
  id.isWellFormed() &&
  Buffer.byteLength(escapeSegment(id)) <= segmentBytesMax

export const taskKeyOf = (id: string): string => `${taskPrefix}/${escapeSegment(id)}`

/**
 * The segment of an idempotency key: the key itself, escaped, or a hash where that is too long or where the text
 * is no Unicode. No escaped text begins with "%s", so no other key has the segment of a hash.
 */
function segmentOf(idempotencyKey: string): string {
  const escaped = idempotencyKey.isWellFormed() ? escapeSegment(idempotencyKey) : null
  if (escaped !== null && Buffer.byteLength(escaped) <= segmentBytesMax) return escaped
  return `%sha256-${createHash('sha256').update(JSON.stringify(idempotencyKey)).digest('hex')}`
}

export const idemKeyOf = (idempotencyKey: string): string =>
  `${keyPrefix}/${segmentOf(idempotencyKey)}`

const timeDigits = 15
/** Two times and an id, with what stands between them. */
const placeBytesMax = 2 * (timeDigits + 1) + segmentBytesMax
const digitsOf = (time: string): string => String(Date.parse(time)).padStart(timeDigits, '0')

/** A task's place in the order of creation. */
export const placeOf = ({ createdAt, id }: StoredTask): string =>
  `${digitsOf(createdAt)}-${escapeSegment(id)}`

/** Its place among the tasks of its status. */
export const statusPlaceOf = (task: StoredTask): string =>
  task.claimedAt !== null && task.status === 'claimed'
    ? `${placeOf(task)}-${digitsOf(task.claimedAt)}`
    : placeOf(task)

/** A claim's place without the time of the claim. */
export const unclaimedPlaceOf = (path: string): string => path.slice(0, -(timeDigits + 1))

const place = new RegExp(`^\\d{${timeDigits}}-(.+)$`, 's')
const claimedPlace = new RegExp(`^\\d{${timeDigits}}-(.+)-(\\d{${timeDigits}})$`, 's')

/** Whether a text may be a place, be it of a task that is gone. */
export const isPlace = (path: string): boolean =>
  place.test(path) && isSegment(path) && Buffer.byteLength(path) <= placeBytesMax

/** When the task of a place was created, in milliseconds. */
export const createdMsOf = (path: string): number => Number(path.slice(0, timeDigits))

/** The id that a place is of; null where it is none. */
export const idOfPlace = (path: string): string | null => unescaped(place.exec(path)?.[1])

/** The id and the time, in milliseconds, of a claim's place. */
export function claimOfPlace(path: string): { id: string; claimedMs: number } | null {
  const [, segment, claimed] = claimedPlace.exec(path) ?? []
  const id = unescaped(segment)
  return id === null ? null : { id, claimedMs: Number(claimed) }
}

function unescaped(segment: string | undefined): string | null {
  if (segment === undefined || !isSegment(segment)) return null
  const id = unescapeSegment(segment)
  return isId(id) ? id : null
}
