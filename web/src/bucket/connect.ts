import { Bucket, type Versioning } from '../../../src/store/drivers/s3/bucket.ts'
import { hostOf, S3Client } from '../../../src/store/drivers/s3/client.ts'
import { S3Store } from '../../../src/store/drivers/s3/store.ts'
import { guarded } from '../../../src/store/guard.ts'
import type { Store } from '../../../src/store/store.ts'
import { Failure } from '../source/failure.ts'
import type { Source } from '../source/source.ts'
import { FetchTransport, hashes } from './means.ts'
import type { Keys } from './pasted.ts'
import type { Place } from './place.ts'
import { BucketQueue } from './queue.ts'
import { inWords } from './refusal.ts'
import { storePlace } from './store-place.ts'

const pollMs = 10_000

const unversioned =
  'The bucket is not versioned, so the history lacks what other tools overwrote. To turn versioning on: aws s3api put-bucket-versioning --bucket NAME --versioning-configuration Status=Enabled'
const unknownVersions =
  'These keys may not check whether the bucket is versioned (s3:GetBucketVersioning); the history shows the versions it finds.'
const ownClock =
  'The CORS rules of the bucket hide Date, so the page uses this computer’s clock. Add Date to ExposeHeaders.'

/** Tries out the keys by a look at the bucket. */
export async function connectBucket(place: Place, keys: Keys): Promise<Source> {
  const { bucket, transport } = bucketAt(place, keys)
  const versioning = await inWords(() => bucket.versioning())
  const queue = new BucketQueue(storeIn(bucket, versioning))
  await inWords(() => queue.look())
  return {
    kind: 'bucket',
    title: `Bucket ${place.bucket}`,
    detail: place.endpoint === '' ? `AWS, ${place.region}` : new URL(place.endpoint).host,
    models: ['queue'],
    queue,
    api: null,
    pollMs,
    warnings: [...warningsOf(versioning), ...(transport.isTimeTold ? [] : [ownClock])],
    follow: () => () => {},
  }
}

function bucketAt(place: Place, keys: Keys) {
  try {
    const known = storePlace(place)
    const url = new URL(`${known.endpoint.protocol}//${hostOf(known)}`)
    if (url.host !== hostOf(known)) throw new Error('another host')
    const transport = new FetchTransport(url.origin)
    const client = new S3Client(known, { credentials: () => keys, hashes, transport })
    return { bucket: new Bucket(client), transport }
  } catch {
    throw new Failure(
      'invalid',
      'That is not the address of a bucket.',
      'Check bucket and endpoint.',
    )
  }
}

/** As a program opens it, but for what it would try out and delete: the rules for pages of other origins allow neither. */
const storeIn = (bucket: Bucket, versioning: Versioning): Store =>
  guarded(
    new S3Store(bucket, {
      // Whoever may not know whether there are versions may still read them.
      versioning: versioning === 'hidden' ? 'suspended' : versioning,
      probes: { result: async () => ({ isDeletionSafe: false }) },
    }),
  )

function warningsOf(versioning: Versioning): string[] {
  if (versioning === 'on') return []
  return [versioning === 'hidden' ? unknownVersions : unversioned]
}
