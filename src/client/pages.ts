import type { CallOptions, Connection, Received } from './connection.ts'

/** Part of a list. */
export interface Page<T> {
  /** The items of this page, in the order of the list. */
  readonly items: readonly T[]
  /** How many items the whole list has; null where the server does not count. */
  readonly total: number | null
  /** Where the next page begins, as the `cursor` of a later call; null for the last page and for lists that go by `offset`. */
  readonly cursor: string | null
  /** Reads the next page; null on the last one. A page may be short and yet not be the last. */
  readonly next: (() => Promise<Page<T>>) | null
}

/** Where the list goes on: a path of this server, whatever host stands before it. */
const nextIn = (headers: Headers): string | null =>
  /<(\/[^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1] ?? null

export function pageOf<T>(
  { value, headers }: Received<readonly T[]>,
  connection: Connection,
  options: CallOptions,
): Page<T> {
  const next = nextIn(headers)
  const total = headers.get('X-Total-Count')
  return {
    items: value,
    total: total === null ? null : Number(total),
    cursor: headers.get('X-Next-Cursor'),
    next:
      next === null
        ? null
        : async () => pageOf(await connection.ask('GET', next, options), connection, options),
  }
}

/** Page after page, one at a time. */
export async function* pagesFrom<T>(first: () => Promise<Page<T>>): AsyncGenerator<Page<T>> {
  for (let next: (() => Promise<Page<T>>) | null = first; next !== null; ) {
    const page: Page<T> = await next()
    yield page
    next = page.next
  }
}

/** Item after item, with one page in memory. */
export async function* itemsFrom<T>(first: () => Promise<Page<T>>): AsyncGenerator<T> {
  for await (const { items } of pagesFrom(first)) yield* items
}

/**
 * A document with a list in it is cut where it is too large for one answer. It is read to its end, so that nobody takes a part
 * for the whole.
 */
export async function whole<T>(
  { value, headers }: Received<T>,
  connection: Connection,
  options: CallOptions,
): Promise<T> {
  const lists = Object.entries(value as object).filter(([, part]) => Array.isArray(part))
  for (let next = nextIn(headers); next !== null; ) {
    const page: Received<Record<string, unknown[]>> = await connection.ask('GET', next, options)
    for (const [name, list] of lists) for (const item of page.value[name] ?? []) list.push(item)
    next = nextIn(page.headers)
  }
  return value
}
