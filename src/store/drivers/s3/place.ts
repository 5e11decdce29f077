import { StoreError } from '../../error.ts'

/** Where the objects of a store lie, and how it is to be treated: all that its URL says. */
export interface Place {
  readonly bucket: string
  /** In front of every object's name: empty, or with a slash at its end. */
  readonly prefix: string
  readonly endpoint: URL
  readonly region: string
  readonly isPathStyle: boolean
  /** How long one call may take before it gives up. */
  readonly timeoutMs: number
  /** How often a watch looks for changes. */
  readonly pollMs: number
  readonly probe: 'remembered' | 'always' | 'never'
  /** How many pages of a list are asked for at most; then the list throws a `LongList`. */
  readonly listPagesMax: number
  /** How many versions of one object are read at most, the newest. */
  readonly versionsMax: number
  /** Whether a bucket without versioning is refused. */
  readonly isVersionedRequired: boolean
  /** Bucket and host, for messages. */
  readonly shown: string
}

/** A little less than five seconds, so that who waits for five has an answer. */
const timeoutMsDefault = 4_500
const timeoutMsMax = 600_000

/** A poll costs one request for each 1,000 keys below the watched prefix. */
const pollMsDefault = 2_000
const pollMsMax = 3_600_000

const regionDefault = 'us-east-1'

/** Names of S3 have 1,024 bytes at most; ours need up to 800 of them. */
const prefixBytesMax = 200

const known = ['endpoint', 'region', 'path_style', 'timeout_ms', 'poll_ms', 'probe', 'versioned']
const form = 's3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION&path_style=true'

/** Reads `s3://BUCKET/PREFIX?…`. */
export function placeOf(url: string, environment = process.env): Place {
  const parsed = parse(url)
  if (parsed === null || parsed.host === '') throw badUrl('unknown_url', 'it names no bucket')
  if (parsed.username || parsed.password)
    throw badUrl('bad_option', 'keys and secrets do not belong into it')
  const option = (name: string) => parsed.searchParams.get(name) ?? undefined
  for (const name of parsed.searchParams.keys())
    if (!known.includes(name))
      throw badUrl('bad_option', `it has an option that is none of ${known.join(', ')}`)
  const bucket = bucketOf(parsed.host)
  const region =
    option('region') ??
    environment['AWS_REGION'] ??
    environment['AWS_DEFAULT_REGION'] ??
    regionDefault
  const endpoint = endpointOf(option('endpoint') ?? `https://s3.${region}.amazonaws.com`)
  // A dot in the bucket's name breaks the certificate of a virtual host.
  const isPathStyleByDefault = option('endpoint') !== undefined || bucket.includes('.')
  return {
    bucket,
    prefix: prefixOf(parsed.pathname),
    endpoint,
    region,
    isPathStyle: flag('path_style', option('path_style'), isPathStyleByDefault),
    timeoutMs: milliseconds('timeout_ms', option('timeout_ms'), timeoutMsDefault, timeoutMsMax),
    pollMs: milliseconds('poll_ms', option('poll_ms'), pollMsDefault, pollMsMax),
    probe: probeOf(option('probe') ?? 'remembered'),
    listPagesMax: Number.POSITIVE_INFINITY,
    versionsMax: Number.POSITIVE_INFINITY,
    isVersionedRequired: flag('versioned', option('versioned'), false),
    shown: `bucket ${bucket} at ${endpoint.host}`,
  }
}

function parse(url: string): URL | null {
  try {
    return new URL(url)
  } catch {
    return null
  }
}

function bucketOf(host: string): string {
  if (/^[a-z0-9A-Z][a-z0-9A-Z._-]{1,62}$/.test(host)) return host
  throw badUrl('unknown_url', 'the name of its bucket is none that S3 knows')
}

function prefixOf(pathname: string): string {
  const path = decoded(pathname).replace(/^\/+|\/+$/g, '')
  if (path === '') return ''
  if (path.split('/').some((segment) => /^\.{0,2}$/.test(segment)) || /\p{Cc}/u.test(path))
    throw badUrl(
      'bad_option',
      'its prefix has an empty segment, a dot segment or control characters',
    )
  if (Buffer.byteLength(path) > prefixBytesMax)
    throw badUrl('bad_option', `its prefix has more than ${prefixBytesMax} bytes`)
  return `${path}/`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw badUrl('bad_option', 'its prefix has a % that starts no escape')
  }
}

function endpointOf(text: string): URL {
  const endpoint = parse(text)
  const isBare = !endpoint?.username && !endpoint?.password
  const isPlain = endpoint?.pathname === '/' && !endpoint.search && isBare
  if (endpoint && isPlain && /^https?:$/.test(endpoint.protocol)) return endpoint
  throw badUrl(
    'bad_option',
    'its endpoint is not of the form http://HOST:PORT or https://HOST:PORT',
  )
}

function flag(name: string, text: string | undefined, byDefault: boolean): boolean {
  if (text === undefined) return byDefault
  if (text === 'true' || text === 'false') return text === 'true'
  throw badUrl('bad_option', `its ${name} is neither true nor false`)
}

function milliseconds(name: string, text: string | undefined, byDefault: number, max: number) {
  if (text === undefined) return byDefault
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= max) return value
  throw badUrl('bad_option', `its ${name} is no whole number from 1 to ${max}`)
}

function probeOf(text: string): Place['probe'] {
  if (text === 'remembered' || text === 'always' || text === 'never') return text
  throw badUrl('bad_option', 'its probe is none of remembered, always, never')
}

/** Never shows the URL itself: someone may have put a secret into it. */
const badUrl = (reason: 'unknown_url' | 'bad_option', why: string): StoreError =>
  new StoreError(reason, `Not the URL of an S3 store (${why}).`, `Use ${form}.`)
