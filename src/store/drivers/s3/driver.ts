import { StoreError } from '../../error.ts'
import { guarded } from '../../guard.ts'
import type { Store } from '../../store.ts'
import { Bucket } from './bucket.ts'
import { credentialSource } from './credentials.ts'
import { s3Client } from './means.ts'
import { ProbeMemory } from './memory.ts'
import { type Place, placeOf } from './place.ts'
import { purge } from './purge.ts'
import { tellRequests } from './requests.ts'
import { S3Store } from './store.ts'

/**
 * A store in a bucket of S3, or of a server that speaks S3: `s3://BUCKET/PREFIX?endpoint=…&region=…`.
 *
 * Opening reads only. Whether the server keeps to conditions is tried out before the first write. A bucket is
 * never created; with `create: false` one in which nothing was ever written is refused as well.
 */
export async function openS3(url: string, { create = true } = {}): Promise<Store> {
  const place = placeOf(url)
  const client = s3Client(place, await credentialSource())
  try {
    const bucket = new Bucket(client)
    const versioning = await bucket.versioning()
    // Who may not know that must be allowed to list at least; this is also the first look at the bucket.
    if (versioning === 'hidden' || !create) {
      const { objects } = await bucket.list('', { after: '' }, 1)
      if (!create && objects.length === 0) throw emptyBucket(place)
    }
    const isVersioned = versioning === 'on'
    if (place.isVersionedRequired && !isVersioned) throw unversioned(place)
    const store = guarded(
      new S3Store(bucket, { versioning, probes: new ProbeMemory(bucket), purge }),
    )
    tellRequests(store, client.requests)
    return store
  } catch (error) {
    client.close()
    throw error
  }
}

const emptyBucket = ({ shown }: Place): StoreError =>
  new StoreError(
    'missing_store',
    `Nothing was ever stored in ${shown}.`,
    'Check the name of the bucket and the prefix in the URL, or store something first.',
  )

const unversioned = ({ shown }: Place): StoreError =>
  new StoreError(
    'unversioned',
    `The ${shown} keeps no versions of its objects, and they are needed.`,
    'Turn on versioning for the bucket, or leave versioned=true out of the URL.',
  )
