import { Failure } from '../source/failure.ts'
import type { Source } from '../source/source.ts'
import { Client } from './client.ts'
import type { Keys } from './pasted.ts'
import type { Place } from './place.ts'
import { BucketQueue } from './queue.ts'

const pollMs = 10_000

const unversioned =
  'The bucket is not versioned, so the history lacks what other tools overwrote. To turn versioning on: aws s3api put-bucket-versioning --bucket NAME --versioning-configuration Status=Enabled'
const unknownVersions =
  'These keys may not check whether the bucket is versioned (s3:GetBucketVersioning); the history shows the versions it finds.'
const ownClock =
  'The CORS rules of the bucket hide Date, so the page uses this computer’s clock. Add Date to ExposeHeaders.'

/** Tries out the keys by a look at the bucket. */
export async function connectBucket(place: Place, keys: Keys): Promise<Source> {
  const client = clientOf(place, keys)
  await client.xml({ 'list-type': '2', 'max-keys': '1', prefix: `${client.prefix}tasks/` })
  const versions = await versioning(client)
  return {
    kind: 'bucket',
    title: `Bucket ${place.bucket}`,
    detail: place.endpoint === '' ? `AWS, ${place.region}` : new URL(place.endpoint).host,
    models: ['queue'],
    queue: new BucketQueue(client, versions !== 'off'),
    api: null,
    pollMs,
    warnings: [
      ...(versions === 'off' ? [unversioned] : versions === 'unknown' ? [unknownVersions] : []),
      ...(client.isTimeTold ? [] : [ownClock]),
    ],
    follow: () => () => {},
  }
}

function clientOf(place: Place, keys: Keys): Client {
  try {
    return new Client(place, keys)
  } catch {
    throw new Failure(
      'invalid',
      'That is not the address of a bucket.',
      'Check bucket and endpoint.',
    )
  }
}

async function versioning(client: Client): Promise<'on' | 'off' | 'unknown'> {
  try {
    const xml = await client.xml({ versioning: '' })
    return xml.getElementsByTagName('Status')[0]?.textContent === 'Enabled' ? 'on' : 'off'
  } catch (error) {
    if (error instanceof Failure && error.kind === 'forbidden') return 'unknown'
    throw error
  }
}
