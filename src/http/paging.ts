import { jsonOf } from '../collection/index.ts'
import { eventLoopTurn } from '../store/internal.ts'
import type { Answer, Call } from './route.ts'

/** The most items that a page of a list has. */
export const limitMax = 1000
/** The most bytes of JSON that a page has, unless its only item is larger. */
export const pageBytesMax = 4_000_000

/** A page before it is cut to its bytes. */
interface OffsetPage {
  readonly items: readonly unknown[]
  readonly limit: number
  readonly offset: number
  /** How many there are in all; null where nobody has counted. */
  readonly total: number | null
  /** Whether there are more after these items. */
  readonly hasMore: boolean
}

/** What the headers of a page say, for the published document. */
export const pageHeaders = {
  'X-Total-Count': 'How many match, whatever the limit.',
  Link: 'The pages around this one: first, prev, next and last.',
} as const

/** JSON of a list, and how many of its items it holds. */
interface Fitted {
  readonly json: string
  readonly count: number
}

/** The first items, as many as fit into these bytes of JSON. At least one, so that following the links gets to the end. */
export async function fitted(
  items: Iterable<unknown>,
  bytesMax: number = pageBytesMax,
): Promise<Fitted> {
  const texts: string[] = []
  let bytes = 1
  for (const item of items) {
    const text = jsonOf(item)
    bytes += Buffer.byteLength(text) + 1
    if (bytes > bytesMax && texts.length > 0) break
    texts.push(text)
    await eventLoopTurn()
  }
  return { json: arrayOf(texts), count: texts.length }
}

const arrayOf = (texts: readonly string[]): string => `[${texts.join(',')}]`

/** One page of a list, cut where it has too many bytes: then `next` leads to what was cut. */
export async function offsetAnswer(call: Call, page: OffsetPage): Promise<Answer> {
  const { json, count } = await fitted(page.items)
  return { status: 200, json, headers: offsetHeaders(call.url, page, count) }
}

/** The headers of one page that shows so many of its items. Links are relative: only the client knows what stands in front of us. */
export function offsetHeaders(
  url: string,
  page: OffsetPage,
  shown: number,
): Record<string, string> {
  const links = Object.entries(offsetsOf(page, shown)).map(
    ([rel, offset]) => `<${linkTo(url, page.limit, offset)}>; rel="${rel}"`,
  )
  return {
    ...(page.total === null ? {} : { 'X-Total-Count': String(page.total) }),
    ...(links.length === 0 ? {} : { Link: links.join(', ') }),
  }
}

/** A list that is read whole; all of it, where neither the call nor the route says how much. */
export function wholeAnswer(
  call: Call,
  all: readonly unknown[],
  limitDefault?: number,
): Promise<Answer> {
  const { limit = limitDefault ?? Math.max(1, all.length), offset = 0 } = call.query as Cut
  const items = all.slice(offset, offset + limit)
  const hasMore = offset + items.length < all.length
  return offsetAnswer(call, { items, limit, offset, total: all.length, hasMore })
}

interface Cut {
  readonly limit?: number
  readonly offset?: number
}

export const cursorHeaders = {
  'X-Next-Cursor': 'Where the next page begins; left out on the last one.',
  Link: 'The next page.',
} as const

/** How to read a list whose pages follow one another by a cursor. */
interface CursorReading<T> {
  readonly limit: number
  readonly cursor: string | undefined
  /** How many to read at a time, so that a page of large items is never in memory as a whole. */
  readonly readAtOnceMax: number
  read(limit: number, cursor: string | undefined): Promise<CursorPage<T>>
  /** What the client sees of an item. */
  shown(item: T): unknown
  /** Whether a page is sent in the order opposite to that in which it is read. */
  readonly isNewestLast?: boolean
}

interface CursorPage<T> {
  readonly items: readonly T[]
  /** Where the next page begins; null after the last one. */
  readonly cursor: string | null
  /** Whether the source gave up looking for more: the page ends here. */
  readonly gaveUp?: boolean
}

/** One page of such a list, and where the next one begins. It is read in steps, and cut between two of them. */
async function cursorPage<T>(
  reading: CursorReading<T>,
): Promise<{ texts: string[]; cursor: string | null }> {
  const texts: string[] = []
  let bytes = 1
  let cursor = reading.cursor
  let atOnce = reading.readAtOnceMax
  for (;;) {
    const wanted = Math.min(atOnce, reading.limit - texts.length)
    const page = await reading.read(wanted, cursor)
    const found: string[] = []
    for (const item of page.items) {
      found.push(jsonOf(reading.shown(item)))
      await eventLoopTurn()
    }
    const size = found.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0)
    const isFitting = bytes + size <= pageBytesMax
    if (!isFitting && texts.length > 0) return { texts, cursor: cursor ?? null }
    if (!isFitting && found.length > 1) {
      // Even the first step is too much for a page: a smaller one.
      atOnce = Math.ceil(found.length / 2)
      continue
    }
    texts.push(...found)
    bytes += size
    if (page.cursor === null || page.gaveUp || texts.length >= reading.limit)
      return { texts, cursor: page.cursor }
    cursor = page.cursor
  }
}

/** Such a page as the answer. */
export async function cursorAnswer<T>(call: Call, reading: CursorReading<T>): Promise<Answer> {
  const { texts, cursor } = await cursorPage(reading)
  const json = arrayOf(reading.isNewestLast ? texts.reverse() : texts)
  return { status: 200, json, headers: cursorHeadersOf(call, cursor) }
}

function cursorHeadersOf(call: Call, cursor: string | null): Record<string, string> {
  if (cursor === null) return {}
  const [path = '', query = ''] = call.url.split('?')
  const words = new URLSearchParams(query)
  words.set('cursor', cursor)
  return { 'X-Next-Cursor': cursor, Link: `<${path}?${words}>; rel="next"` }
}

function offsetsOf(page: OffsetPage, shown: number): Record<string, number> {
  const { items, limit, offset, total, hasMore } = page
  const isCut = shown < items.length
  return {
    first: 0,
    ...(offset > 0 ? { prev: Math.max(0, offset - limit) } : {}),
    ...(isCut ? { next: offset + shown } : hasMore ? { next: offset + limit } : {}),
    ...(total === null ? {} : { last: lastOffset(total, limit, offset) }),
  }
}

/** Of the pages that this one is one of. */
function lastOffset(total: number, limit: number, offset: number): number {
  if (offset >= total) return Math.max(0, Math.ceil(total / limit) - 1) * limit
  return offset + Math.floor((total - 1 - offset) / limit) * limit
}

function linkTo(url: string, limit: number, offset: number): string {
  const [path = '', query = ''] = url.split('?')
  const words = new URLSearchParams(query)
  words.set('limit', String(limit))
  words.set('offset', String(offset))
  return `${path}?${words}`
}
