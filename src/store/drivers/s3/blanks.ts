import type { BlankPage } from '../../abilities.ts'
import { type Bucket, pageItemsMax } from './bucket.ts'
import { folderOf, keyOf } from './names.ts'
import type { ListedVersion } from './xml.ts'

/**
 * One page of the empty objects below a prefix that are not our removals, as far as a list tells: one request. A removal
 * of ours stands above the state that it removed; an empty object above nothing, or above another one, is another
 * tool's. Without versions every empty object may be one.
 */
export async function blanksIn(
  bucket: Bucket,
  prefix: string,
  after: string | null,
  isVersioned: boolean,
): Promise<BlankPage> {
  const folder = folderOf(prefix)
  if (!isVersioned) {
    const from = after === null ? { after: '' } : { token: after }
    const { objects, nextToken } = await bucket.list(folder, from, pageItemsMax)
    return { keys: keysOf(objects.filter(({ isEmpty }) => isEmpty)), next: nextToken }
  }
  const from = after === null ? null : { key: after, version: '' }
  const page = await bucket.versionsBelow(folder, from, pageItemsMax)
  const objects = grouped(page.versions)
  // The versions of the last one may go on on the next page, where it is looked at whole.
  if (page.next !== null && objects.length > 1) objects.pop()
  const last = objects.at(-1)?.[0]?.name
  return {
    keys: keysOf(objects.filter(isBlank).flatMap(([newest]) => newest ?? [])),
    next: page.next === null || last === undefined ? null : bucket.client.place.prefix + last,
  }
}

/** Whether an object, given as its versions, is empty by another tool's doing. */
export function isBlank([newest, below]: readonly ListedVersion[]): boolean {
  if (!newest?.isEmpty || newest.isMarker) return false
  return below === undefined || below.isMarker || below.isEmpty
}

/** Versions object by object. */
export function grouped(versions: readonly ListedVersion[]): ListedVersion[][] {
  const objects: ListedVersion[][] = []
  for (const version of versions)
    if (objects.at(-1)?.[0]?.name === version.name) objects.at(-1)?.push(version)
    else objects.push([version])
  return objects
}

const keysOf = (objects: readonly { readonly name: string }[]): string[] =>
  objects.flatMap(({ name }) => keyOf(name) ?? [])
