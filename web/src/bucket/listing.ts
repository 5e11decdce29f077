import { listedMax } from '../source/source.ts'
import type { Client } from './client.ts'

/** An object as a list tells of it. */
interface Head {
  /** Its name below the prefix of the store. */
  readonly name: string
  readonly etag: string
}

const pageObjects = 1_000
const pagesMax = listedMax / pageObjects

/** All objects below a folder, as many as are listed at all; what removals left is none. `isCut` where there are more. */
export async function listed(
  client: Client,
  folder: string,
  signal?: AbortSignal,
): Promise<{ heads: Head[]; isCut: boolean }> {
  const heads: Head[] = []
  let token: string | null = null
  for (let page = 0; page < pagesMax; page++) {
    const xml: Document = await client.xml(
      {
        'list-type': '2',
        prefix: `${client.prefix}${folder}`,
        ...(token === null ? {} : { 'continuation-token': token }),
      },
      signal,
    )
    for (const element of xml.getElementsByTagName('Contents')) {
      if (textOf(element, 'Size') === '0') continue
      const name = textOf(element, 'Key').slice(client.prefix.length)
      heads.push({ name, etag: textOf(element, 'ETag') })
    }
    token = xml.getElementsByTagName('NextContinuationToken')[0]?.textContent ?? null
    if (token === null) return { heads, isCut: false }
  }
  return { heads, isCut: true }
}

const textOf = (element: Element, name: string): string =>
  element.getElementsByTagName(name)[0]?.textContent ?? ''

/** The ids of an object's versions, newest first; at most so many. */
export async function versionIds(
  client: Client,
  name: string,
  max: number,
  signal?: AbortSignal,
): Promise<string[]> {
  const ids: string[] = []
  const key = `${client.prefix}${name}`
  let after: Record<string, string> = {}
  for (;;) {
    const xml = await client.xml({ versions: '', prefix: key, ...after }, signal)
    for (const element of xml.getElementsByTagName('Version'))
      if (textOf(element, 'Key') === key && textOf(element, 'Size') !== '0')
        ids.push(textOf(element, 'VersionId'))
    const isMore = xml.getElementsByTagName('IsTruncated')[0]?.textContent === 'true'
    if (!isMore || ids.length >= max) return ids.slice(0, max)
    const marker = (tag: string) => xml.getElementsByTagName(tag)[0]?.textContent ?? ''
    after = {
      'key-marker': marker('NextKeyMarker'),
      'version-id-marker': marker('NextVersionIdMarker'),
    }
  }
}

const atOnce = 16

/** Does something for each, several at a time. */
export async function eachOf<T, R>(
  items: readonly T[],
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++
      results[at] = await run(items[at] as T)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work))
  return results
}
