import type { Answer, Call, Fields } from './route.ts'

/** How many of a list are given at most. */
export const limitMax = 1000

export const limitField: Fields = {
  limit: {
    schema: {
      type: 'integer',
      minimum: 1,
      maximum: limitMax,
      description: 'How many to give: 1 to 1000.',
    },
  },
}

export const pageFields: Fields = {
  ...limitField,
  offset: { schema: { type: 'integer', minimum: 0, description: 'How many to leave out first.' } },
}

export interface PageInfo {
  readonly limit: number
  readonly offset: number
  /** How many there are in all; null where nobody has counted. */
  readonly total: number | null
  readonly hasMore: boolean
}

/** What the headers of a page say, for the published document. */
export const pageHeaders = {
  'X-Total-Count': 'How many match, whatever the limit.',
  Link: 'The pages around this one: first, prev, next and last.',
} as const

/** The headers of one page of a list. Links are relative, for nobody here knows what stands in front of us. */
export function headersOf(url: string, page: PageInfo): Record<string, string> {
  const links = Object.entries(offsetsOf(page)).map(
    ([rel, offset]) => `<${linkTo(url, page.limit, offset)}>; rel="${rel}"`,
  )
  return {
    ...(page.total === null ? {} : { 'X-Total-Count': String(page.total) }),
    ...(links.length === 0 ? {} : { Link: links.join(', ') }),
  }
}

/** A list that is read whole; all of it, where neither the call nor the route says how much. */
export function wholeAnswer(call: Call, all: readonly unknown[], limitDefault?: number): Answer {
  const { limit = limitDefault ?? Math.max(1, all.length), offset = 0 } = call.query as Cut
  const shown = all.slice(offset, offset + limit)
  const hasMore = offset + shown.length < all.length
  const headers = headersOf(call.url, { limit, offset, total: all.length, hasMore })
  return { status: 200, body: shown, headers }
}

interface Cut {
  readonly limit?: number
  readonly offset?: number
}

/** Where the next page begins, of a list whose pages follow one another by a mark. */
export const cursorField: Fields = {
  cursor: {
    schema: { type: 'string', minLength: 1, description: 'The X-Next-Cursor of the page before.' },
  },
}

export const cursorHeaders = {
  'X-Next-Cursor': 'Where the next page begins; left out on the last one.',
  Link: 'The next page.',
} as const

/** One page of such a list. */
export function cursorAnswer(call: Call, page: readonly unknown[], cursor: string | null): Answer {
  if (cursor === null) return { status: 200, body: page }
  const [path = '', query = ''] = call.url.split('?')
  const words = new URLSearchParams(query)
  words.set('cursor', cursor)
  const headers = { 'X-Next-Cursor': cursor, Link: `<${path}?${words}>; rel="next"` }
  return { status: 200, body: page, headers }
}

function offsetsOf({ limit, offset, total, hasMore }: PageInfo): Record<string, number> {
  return {
    first: 0,
    ...(offset > 0 ? { prev: Math.max(0, offset - limit) } : {}),
    ...(hasMore ? { next: offset + limit } : {}),
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
