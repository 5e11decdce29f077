import type { Answered, Asked, Http } from './http.ts'

/** Some of so many. */
export interface Cut<T> {
  readonly items: readonly T[]
  readonly total: number
}

/** A list page by page: a page may be cut, and its link leads to the rest. */
export async function* pagesOf<T>(
  http: Http,
  path: string,
  { signal, ...asked }: Asked = {},
): AsyncGenerator<Answered<T>> {
  let page = await http.ask<T>(path, { ...asked, signal })
  for (;;) {
    yield page
    const next = /<([^>]*)>; rel="next"/.exec(page.headers.get('Link') ?? '')?.[1]
    if (next === undefined) return
    page = await http.ask<T>(next, { signal })
  }
}

/** The first items of a list, so many at most, and how many there are. */
export async function firstOf<T>(
  http: Http,
  path: string,
  { max, ...asked }: Asked & { readonly max: number },
): Promise<Cut<T>> {
  const items: T[] = []
  let total = 0
  for await (const { body, headers } of pagesOf<readonly T[]>(http, path, asked)) {
    items.push(...body)
    total = Number(headers.get('X-Total-Count') ?? items.length)
    if (items.length >= max) break
  }
  return { items: items.slice(0, max), total }
}
