import { UnreadableValueError } from '../../error.ts'
import { compareKeys } from '../../key.ts'
import type { Entry, Head, ListOptions } from '../../store.ts'
import { type Bucket, pageItemsMax } from './bucket.ts'
import { keyOf, nameOf } from './names.ts'
import { type Section, sectionsOf } from './sections.ts'

/** How many values a scan reads ahead of its reader. */
const readAheadMax = 16

/** A list has more pages than its place allows; what it has given is its beginning. */
export class LongList extends Error {
  constructor(folder: string) {
    super(`the list of ${folder} goes on`)
  }
}

/** Keys and revisions, in order. Empty objects are absent, and names that no key has are another program's. */
export function listed(bucket: Bucket, prefix: string, options: ListOptions): AsyncGenerator<Head> {
  const heads = options.reverse
    ? descending(bucket, prefix, options)
    : ascending(bucket, prefix, options)
  return cut(heads, options.limit ?? Number.POSITIVE_INFINITY)
}

/** The same with values. A key that goes before its value is read does not count. */
export function scanned(
  bucket: Bucket,
  prefix: string,
  options: ListOptions,
): AsyncGenerator<Entry> {
  const { limit = Number.POSITIVE_INFINITY } = options
  const heads = options.reverse
    ? descending(bucket, prefix, options)
    : ascending(bucket, prefix, options)
  const entries = readAhead(heads, ({ key }) => entryOf(bucket, key), Math.min(readAheadMax, limit))
  return cut(present(entries), limit)
}

export async function entryOf(bucket: Bucket, key: string): Promise<Entry | null> {
  try {
    const object = await bucket.get(nameOf(key))
    return object && { key, value: object.value, revision: object.etag }
  } catch (error) {
    const flaw = await bucket.flawOf(error)
    throw flaw === null ? error : new UnreadableValueError(key, flaw, error)
  }
}

async function* ascending(
  bucket: Bucket,
  prefix: string,
  options: ListOptions,
): AsyncGenerator<Head> {
  for (const section of sectionsOf(prefix, options))
    for await (const head of sectionHeads(bucket, section, options.limit ?? pageItemsMax)) {
      if (options.before !== undefined && compareKeys(head.key, options.before) >= 0) return
      yield head
    }
}

/** S3 lists upwards only: all of the range is read, then given from its end. */
async function* descending(
  bucket: Bucket,
  prefix: string,
  options: ListOptions,
): AsyncGenerator<Head> {
  const { after, before } = options
  const heads: Head[] = []
  for await (const head of ascending(bucket, prefix, { after, before })) heads.push(head)
  yield* heads.reverse()
}

async function* sectionHeads(
  bucket: Bucket,
  section: Section,
  wanted: number,
): AsyncGenerator<Head> {
  const { folder, after, until } = section
  // Where that is not safe, it starts with the folder, and what comes before is passed over here.
  const isDirect = after === '' || bucket.startsAnywhere || isQueue(folder)
  let from: Parameters<Bucket['list']>[1] = { after: isDirect ? after : '' }
  // Few where few are wanted, then more: there may be many empty objects in between.
  let size = isDirect ? Math.min(wanted, pageItemsMax) : pageItemsMax
  for (let pages = 1; ; pages++, size = Math.min(size * 4, pageItemsMax)) {
    const { objects, nextToken } = await bucket.list(folder, from, size)
    for (const { name, etag, isEmpty } of objects) {
      if (until !== null && compareKeys(name, until) >= 0) return
      const key = isEmpty || compareKeys(name, after) <= 0 ? null : keyOf(name)
      if (key !== null) yield { key, revision: etag }
    }
    if (nextToken === null) return
    if (pages === bucket.client.place.listPagesMax) throw new LongList(folder)
    // Not by the last name: MinIO does not order names around folders by their bytes.
    from = { token: nextToken }
  }
}

/** Here all names beside each other have the same length: the queue's shards, minutes and ids. */
const isQueue = (folder: string): boolean => /^(?:tasks|ready|leases)\//.test(folder)

/** Starts so many steps before their results are asked for; gives them in order. */
export async function* readAhead<T, U>(
  items: AsyncIterable<T>,
  step: (item: T) => Promise<U>,
  countMax: number,
): AsyncGenerator<U> {
  const started: Promise<U>[] = []
  for await (const item of items) {
    const result = step(item)
    // Whoever leaves early does not wait for it, and its failure is then nobody's.
    result.catch(() => {})
    started.push(result)
    if (started.length >= countMax) yield await (started.shift() as Promise<U>)
  }
  for (const result of started) yield await result
}

async function* present<T>(items: AsyncIterable<T | null>): AsyncGenerator<T> {
  for await (const item of items) if (item !== null) yield item
}

async function* cut<T>(items: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  let left = limit
  for await (const item of items) {
    yield item
    if (--left === 0) return
  }
}
