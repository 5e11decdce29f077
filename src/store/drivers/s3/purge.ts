import type { PurgeOptions } from '../../abilities.ts'
import { compareKeys } from '../../key.ts'
import { grouped, isBlank } from './blanks.ts'
import { type Bucket, pageItemsMax, type VersionsPage } from './bucket.ts'
import { deleteVersions } from './deletion.ts'
import { keyOf, nameOf } from './names.ts'
import { sectionsOf } from './sections.ts'
import type { ListedVersion } from './xml.ts'

/**
 * Takes away what removed keys have left: an empty object or a delete marker, and the versions below it. Each is
 * deleted as a version, the newest last. So a deletion never meets what another has just created, and an old
 * value never comes to light again, wherever this ends.
 */
export async function purge(
  bucket: Bucket,
  prefix: string,
  { olderThanMs, before, superseded = false, spares }: PurgeOptions,
  now: number,
): Promise<number> {
  // The server's clock is known to the second only: of no age at all means all.
  const youngest = olderThanMs === 0 ? Number.POSITIVE_INFINITY : now - olderThanMs
  let count = 0
  for (const { folder, after, until } of sectionsOf(prefix, { before })) {
    const end = earlier(until, before === undefined ? null : nameOf(before))
    const isWanted = ([newest]: readonly ListedVersion[]): boolean =>
      newest !== undefined &&
      isGone(newest) &&
      newest.at < youngest &&
      compareKeys(newest.name, after) > 0 &&
      keyOf(newest.name) !== null
    for await (const objects of pagesOf(bucket, folder, end))
      count += await removed(bucket, await unspared(objects.filter(isWanted), spares))
    if (!superseded) continue
    const older = await supersededIn(bucket, folder, (name) => {
      const isWithin = compareKeys(name, after) > 0 && (end === null || compareKeys(name, end) < 0)
      return isWithin && keyOf(name) !== null ? youngest : Number.NEGATIVE_INFINITY
    })
    await deleted(bucket, older)
    count += older.length
  }
  return count
}

/** What another tool has put there may be of use. */
async function unspared(
  objects: readonly ListedVersion[][],
  spares: PurgeOptions['spares'],
): Promise<readonly ListedVersion[][]> {
  if (spares === undefined) return objects
  const kept = new Set<readonly ListedVersion[]>()
  for (const object of objects.filter(isBlank)) {
    const key = keyOf((object[0] as ListedVersion).name)
    if (key !== null && (await spares(key))) kept.add(object)
  }
  return objects.filter((object) => !kept.has(object))
}

/** How many versions one purge takes from keys that are there; the next one goes on. */
const supersededMax = 10_000

/**
 * Versions of keys that are there, but the newest, if what replaced them is old enough. Deleted only when all are
 * listed: a list does not go on from a version that is gone.
 */
async function supersededIn(
  bucket: Bucket,
  folder: string,
  youngestOf: (name: string) => number,
): Promise<ListedVersion[]> {
  const found: ListedVersion[] = []
  let from: VersionsPage['next'] = null
  let [newest, above]: (ListedVersion | null)[] = [null, null]
  do {
    const page: VersionsPage = await bucket.versionsBelow(folder, from, pageItemsMax)
    for (const version of page.versions) {
      if (version.name !== newest?.name) newest = version
      else if (above && !isGone(newest) && above.at < youngestOf(version.name)) found.push(version)
      above = version
    }
    from = found.length < supersededMax ? page.next : null
  } while (from !== null)
  return found
}

const isGone = ({ isMarker, isEmpty }: ListedVersion): boolean => isMarker || isEmpty

const earlier = (a: string | null, b: string | null): string | null => {
  if (a === null || b === null) return a ?? b
  return compareKeys(a, b) < 0 ? a : b
}

/** Objects page by page, each as all of its versions. */
async function* pagesOf(
  bucket: Bucket,
  folder: string,
  end: string | null,
): AsyncGenerator<ListedVersion[][]> {
  let from: VersionsPage['next'] = null
  let rest: ListedVersion[] = []
  do {
    const page: VersionsPage = await bucket.versionsBelow(folder, from, pageItemsMax)
    const objects = grouped([...rest, ...page.versions])
    const isOver = end !== null && compareKeys(page.versions.at(-1)?.name ?? '', end) >= 0
    // More versions of the last one may stand on the next page.
    rest = page.next === null || isOver ? [] : (objects.pop() ?? [])
    yield objects.filter(([newest]) => end === null || compareKeys(newest?.name ?? '', end) < 0)
    from = isOver ? null : page.next
  } while (from !== null)
}

/** How many objects are gone now. One whose old versions would not go keeps what hides them. */
async function removed(bucket: Bucket, objects: readonly ListedVersion[][]): Promise<number> {
  const stuck = await deleted(
    bucket,
    objects.flatMap(([, ...older]) => older),
  )
  const newest = objects.flatMap(([first]) => (first && !stuck.has(first.name) ? [first] : []))
  return newest.length - (await deleted(bucket, newest)).size
}

/** The names of those that could not be deleted. */
async function deleted(bucket: Bucket, versions: readonly ListedVersion[]): Promise<Set<string>> {
  const stuck = new Set<string>()
  for (let at = 0; at < versions.length; at += pageItemsMax)
    for (const name of await deleteVersions(bucket, versions.slice(at, at + pageItemsMax)))
      stuck.add(name)
  return stuck
}
