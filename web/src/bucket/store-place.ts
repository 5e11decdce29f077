import { pageItemsMax } from '../../../src/store/drivers/s3/bucket.ts'
import type { Place as StorePlace } from '../../../src/store/drivers/s3/place.ts'
import { listedMax } from '../source/source.ts'
import { type Place, regionDefault } from './place.ts'

const timeoutMs = 15_000
/** So much of a task's history is read from the versions of its object. */
const versionsMax = 100

/** The same as the store takes it. Throws where it is no address. */
export function storePlace({ bucket, prefix, endpoint, region }: Place): StorePlace {
  const folder = prefix.replace(/^\/+|\/+$/g, '')
  const known = region || regionDefault
  const isPathStyle = endpoint !== ''
  const url = new URL(
    isPathStyle ? `${endpoint.replace(/\/+$/, '')}/` : `https://s3.${known}.amazonaws.com/`,
  )
  return {
    bucket: isPathStyle ? encodeURIComponent(bucket) : bucket.toLowerCase(),
    prefix: folder === '' ? '' : `${folder}/`,
    endpoint: url,
    region: known,
    isPathStyle,
    timeoutMs,
    pollMs: 0,
    probe: 'never',
    isVersionedRequired: false,
    listPagesMax: listedMax / pageItemsMax,
    versionsMax,
    shown: `bucket ${bucket} at ${url.host}`,
  }
}
