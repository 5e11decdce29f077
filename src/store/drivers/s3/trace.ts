import type { Bucket, VersionsPage } from './bucket.ts'
import type { Deadline } from './client.ts'
import type { Expected } from './writer.ts'
import type { ListedVersion } from './xml.ts'

/** How many versions to look through for a write whose answer was lost. Others made them in the meantime. */
const versionsMax = 300
const pageItems = 100

interface Sought {
  readonly name: string
  readonly writeId: string
  readonly expected: Expected
}

/**
 * Looks for a write among the versions of its object: it can only stand right above a state that it expected.
 * Gives its ETag, null where it is not there, and undefined where the versions do not reach back far enough.
 */
export async function landedBefore(
  bucket: Bucket,
  { name, writeId, expected }: Sought,
  deadline: Deadline,
): Promise<string | null | undefined> {
  let above: ListedVersion | undefined
  let from: VersionsPage['next'] = null
  let isReached = false
  for (let seen = 0; seen < versionsMax; seen += pageItems) {
    const { versions, next }: VersionsPage = await bucket.versions(name, from, pageItems, deadline)
    for (const version of versions) {
      const isBase = expected === null ? version.isMarker : version.etag === expected
      if (isBase && above && (await isWrite(above))) return above.etag
      isReached ||= isBase
      // An ETag never comes back, except that of the empty object.
      if (isBase && expected !== null && !version.isEmpty) return null
      above = version
    }
    if (next === null) return ofOldest()
    from = next
  }
  return undefined

  async function isWrite(version: ListedVersion): Promise<boolean> {
    if (version.isMarker) return false
    const state = await bucket.look(name, deadline, version.id)
    return state?.writeId === writeId
  }

  /** A creation may be the very first version. */
  async function ofOldest(): Promise<string | null | undefined> {
    if (expected !== null) return isReached ? null : undefined
    return above && (await isWrite(above)) ? above.etag : null
  }
}
