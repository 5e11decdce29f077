import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { byteLengthOf, escapeSegment, isSegment, unescapeSegment } from '../store/internal.ts'
import { idPattern } from './id.ts'
import { msOf } from './time.ts'

/*
 * Where things lie. On S3 the namespace `qo` is the root of the bucket, so that these are names which any tool can
 * read; the queue's own notes are in a namespace of their own, which lies below `holdfast/` there.
 *
 *   qo/tasks/{shard}/{id}.json          the task
 *   qo/ready/{shard}/{minute}/{id}      its type, while it is pending: by the minute from which it can be claimed
 *   qo/leases/{shard}/{minute}/{id}     its type, while it is running: by the minute in which its lease expires
 *   qo/workers/{worker}.json            a worker
 *   qo/data/{shard}/{id}/input.json     a large input; output.json, output.N.json a large output
 *   qo/holdfast/strays/{tag}/{minute}/{id}   its type, while a task is pending that workers look for by type:
 *                                       its id does not tell its type, or it is pending once more
 *   qo_own/idem/{idempotency key}       the id of its task
 *   qo_own/history/{id}/{version}       the earliest changes of a task that has very many, from that version on
 *
 * Minutes are counted from the epoch, in 10 digits.
 */
export const tasksPrefix = 'qo/tasks'
export const readyPrefix = 'qo/ready'
export const leasesPrefix = 'qo/leases'
export const workersPrefix = 'qo/workers'
export const dataPrefix = 'qo/data'
export const straysPrefix = 'qo/holdfast/strays'
export const keysPrefix = 'qo_own/idem'
export const historyPrefix = 'qo_own/history'

const minuteMs = 60_000
const minuteDigits = 10

/** The two minutes that were asked for last: most keys are of the present or of the end of a lease. */
let [last, lastBucket] = [Number.NaN, '']
let [earlier, earlierBucket] = [Number.NaN, '']

/** The minute that a time lies in, as it stands in keys. */
export function bucketOf(ms: number): string {
  const minute = Math.floor(ms / minuteMs)
  if (minute === last) return lastBucket
  if (minute === earlier) return earlierBucket
  ;[earlier, earlierBucket] = [last, lastBucket]
  last = minute
  lastBucket = String(minute).padStart(minuteDigits, '0')
  return lastBucket
}

/** Where the entry of a task lies in an index by time, below its prefix. */
export const placeOf = (id: string, time: string): string =>
  `${id.charAt(0)}/${bucketOf(msOf(time))}/${id}`

const place = new RegExp(`^([0-9a-f])/\\d{${minuteDigits}}/(?=\\1)${idPattern.source.slice(1)}`)
const idAt = 'x//'.length + minuteDigits

/** The id of an entry by its place; null where it can't be one of ours. */
export const idOfPlace = (path: string): string | null =>
  place.test(path) ? path.slice(idAt) : null

const strayPlace = new RegExp(
  `^(?:([0-9a-f]{4})/(\\d{${minuteDigits}})/)?(${idPattern.source.slice(1, -1)})$`,
)

/** Where the entry of a task lies in the index by type, below its prefix. */
export const strayPlaceOf = (id: string, tag: string, time: string): string =>
  `${tag}/${bucketOf(msOf(time))}/${id}`

/** What an entry of the index by type speaks of; earlier releases wrote the id alone. Null where it can't be one of ours. */
export function strayIn(
  path: string,
): { readonly id: string; readonly tag: string | null; readonly bucket: string | null } | null {
  const match = strayPlace.exec(path)
  if (match === null) return null
  const [, tag = null, bucket = null, id] = match
  return { id: id as string, tag, bucket }
}

/** The entries of one type that are due in this minute. */
export const straysOf = (tag: string, ms: number): { prefix: string; before: string } => {
  const prefix = `${straysPrefix}/${tag}`
  return { prefix, before: `${prefix}/${bucketOf(ms + minuteMs)}` }
}

/** The first key of a shard's entries that are not due in this minute. */
export const firstAfter = (prefix: string, shard: string, ms: number): string =>
  `${prefix}/${shard}/${bucketOf(ms + minuteMs)}`

const taskSuffix = '.json'

/** How a task's id becomes its place below {@link tasksPrefix}, and back. */
export const taskPath = {
  of: (id: string): string => `${id.charAt(0)}/${id}${taskSuffix}`,
  idOf: (path: string): string | null => {
    const id = path.slice(2, -taskSuffix.length)
    return idPattern.test(id) && path === taskPath.of(id) ? id : null
  },
}

export const taskKeyOf = (id: string): string => `${tasksPrefix}/${taskPath.of(id)}`

/** The same for workers, whose ids are any text. */
export const workerPath = {
  of: (id: string): string => `${escapeSegment(id)}.json`,
  idOf: (path: string): string | null => {
    const segment = path.slice(0, -'.json'.length)
    const isOurs = path.endsWith('.json') && !path.includes('/') && isSegment(segment)
    return isOurs ? unescapeSegment(segment) : null
  },
}

/** Where a large input or output lies, as a path below the namespace: what the task says. */
export const dataPath = (id: string, name: string): string => `data/${id.charAt(0)}/${id}/${name}`

export const dataKeyOf = (path: string): string => `qo/${path}`

const segmentBytesMax = 200

/** Any text as a segment: escaped, or hashed where that is too long. No escaped text begins with "%s". */
export function keyOfIdempotency(key: string): string {
  const escaped = key.isWellFormed() ? escapeSegment(key) : null
  if (escaped !== null && byteLengthOf(escaped) <= segmentBytesMax)
    return `${keysPrefix}/${escaped}`
  return `${keysPrefix}/%sha256-${bytesToHex(sha256(utf8ToBytes(JSON.stringify(key))))}`
}

export const historyKeyOf = (id: string, version: number): string =>
  `${historyPrefix}/${id}/${String(version).padStart(minuteDigits, '0')}`
