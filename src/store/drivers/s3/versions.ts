import type { Version } from '../../abilities.ts'
import type { Bucket, VersionsPage } from './bucket.ts'
import { readAhead } from './listing.ts'
import type { ListedVersion } from './xml.ts'

const pageItems = 100
/** How many values are read ahead of the reader. */
const readAheadMax = 8

/** The states that an object has had, newest first; a delete marker and an empty object are removals. */
export function versionsOf(bucket: Bucket, name: string): AsyncIterable<Version> {
  const read = async (listed: ListedVersion): Promise<Version> => {
    const { id, etag, at, isMarker, isEmpty } = listed
    const object = isMarker || isEmpty ? null : await bucket.get(name, id)
    return { revision: isMarker ? id : etag, value: object?.value ?? null, at }
  }
  return readAhead(listedVersions(bucket, name), read, readAheadMax)
}

async function* listedVersions(bucket: Bucket, name: string): AsyncGenerator<ListedVersion> {
  let left = bucket.client.place.versionsMax
  let from: VersionsPage['next'] = null
  do {
    const page: VersionsPage = await bucket.versions(name, from, Math.min(pageItems, left))
    yield* page.versions
    left -= page.versions.length
    from = left > 0 ? page.next : null
  } while (from !== null)
}
