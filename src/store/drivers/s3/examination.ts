import { StoreError } from '../../error.ts'
import { type Check, clockCheck } from '../../examination.ts'
import { Bucket, type Versioning } from './bucket.ts'
import { hostOf } from './client.ts'
import { credentialSource } from './credentials.ts'
import { s3Client, transportTo } from './means.ts'
import { type Place, placeOf } from './place.ts'
import { probe } from './probe.ts'

/** What a page in a browser does with the bucket, from the origin that it was loaded from. */
const pageMethods = ['GET', 'HEAD', 'PUT']

/**
 * Looks at a bucket, its server and the way there, one thing after another. Writes only what a probe writes, and
 * takes that away. Throws where there is no such bucket.
 */
export async function* examineS3(
  url: string,
  { origin }: { origin: string },
): AsyncGenerator<Check> {
  const place = placeOf(url)
  const source = await found('credentials', async () => {
    const credentials = await credentialSource()
    await credentials()
    return credentials
  })
  if ('ok' in source) {
    yield source
    yield* unchecked(['versioning', 'clock', 'race probe'], 'there are no credentials')
  } else {
    const client = s3Client(place, source.value)
    try {
      yield* examineBucket(new Bucket(client))
    } finally {
      client.close()
    }
  }
  yield await corsCheck(place, origin)
}

async function* examineBucket(bucket: Bucket): AsyncGenerator<Check> {
  const { place, clock } = bucket.client
  const versioning = await found('credentials', () => bucket.versioning())
  if ('ok' in versioning) {
    yield versioning
    yield* unchecked(['versioning', 'clock', 'race probe'], 'the bucket could not be looked at')
    return
  }
  yield { name: 'credentials', ok: true, detail: `The ${place.shown} takes them.` }
  yield versioningCheck(versioning.value)
  yield clockCheck(clock.now() - Date.now(), 'the server')
  yield await raceProbe(bucket)
}

function versioningCheck(versioning: Versioning): Check {
  const none =
    'The bucket keeps no versions. Turn them on with the tools of its server: aws s3api put-bucket-versioning.'
  const details = {
    on: 'The bucket keeps versions.',
    suspended: none,
    off: none,
    hidden:
      'Whether the bucket keeps versions is hidden from this user, who needs s3:GetBucketVersioning.',
  }
  return { name: 'versioning', ok: versioning === 'on', detail: details[versioning] }
}

async function raceProbe(bucket: Bucket): Promise<Check> {
  const result = await found('race probe', () => probe(bucket))
  if ('ok' in result) return result
  const { deletionFlaw } = result.value
  const removal =
    deletionFlaw === null
      ? 'it deletes on a condition, too'
      : 'it does not delete on a condition, so removals write empty objects'
  return {
    name: 'race probe',
    ok: true,
    detail: `One of many writers wins, every time; ${removal}.`,
  }
}

/** Asks as a browser does before it lets a page of another origin read the bucket. */
export async function corsCheck(place: Place, origin: string): Promise<Check> {
  const { bucket, isPathStyle } = place
  const host = hostOf(place)
  const transport = transportTo(place)
  const asked = async (method: string) => {
    const { headers, status } = await transport.send({
      method: 'OPTIONS',
      target: isPathStyle ? `/${bucket}/` : '/',
      headers: { host, origin, 'access-control-request-method': method },
      body: new Uint8Array(),
      timeoutMs: place.timeoutMs,
    })
    const allowed = headers['access-control-allow-origin']
    return status < 300 && (allowed === '*' || allowed === origin)
  }
  try {
    const answers = await Promise.all(pageMethods.map(asked))
    const refused = pageMethods.filter((_, at) => !answers[at])
    if (refused.length === 0)
      return { name: 'CORS', ok: true, detail: `Pages of ${origin} may use the bucket.` }
    const detail = `Pages of ${origin} may not ${refused.join(', ')}; only a dashboard in a browser needs it. Allow it with aws s3api put-bucket-cors.`
    return { name: 'CORS', ok: false, detail }
  } catch {
    return { name: 'CORS', ok: false, detail: `The ${place.shown} does not answer.` }
  } finally {
    transport.close()
  }
}

/** What a look found, or why it failed. A missing bucket leaves nothing to look at. */
async function found<T>(name: string, look: () => Promise<T>): Promise<{ value: T } | Check> {
  try {
    return { value: await look() }
  } catch (error) {
    if (!(error instanceof StoreError) || error.reason === 'missing_store') throw error
    return { name, ok: false, detail: error.message }
  }
}

function* unchecked(names: readonly string[], why: string): Generator<Check> {
  for (const name of names) yield { name, ok: false, detail: `Not looked at: ${why}.` }
}
