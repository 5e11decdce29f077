import type { Store } from '../../store/internal.ts'
import type { Context } from '../program/context.ts'
import type { Io } from '../program/io.ts'
import { isSet } from './setting.ts'

/** The bucket that `S3_BUCKET`, `S3_ENDPOINT` and `S3_REGION` name. */
export function environmentStore({ env }: Io): string | undefined {
  const { S3_BUCKET: bucket, S3_ENDPOINT: endpoint, S3_REGION: region } = env
  if (!bucket) return undefined
  const options = new URLSearchParams()
  if (endpoint) options.set('endpoint', endpoint.trim().replace(/\/+$/, ''))
  if (region) options.set('region', region.trim())
  const query = options.toString()
  return `s3://${bucket.trim()}${query === '' ? '' : `?${query}`}`
}

const allowance = 'QO_ALLOW_NO_VERSIONING'

/** Whether a bucket may do without versions, though the history of tasks rests on them. */
export const isUnversionedAllowed = (context: Context): boolean => isSet(context, allowance)

/** The store that was chosen, as a queue wants it: a bucket must keep versions. */
export async function queueUrl(context: Context): Promise<string> {
  const isAllowed = isUnversionedAllowed(context)
  const { url } = await context.storeChoice()
  if (!url.startsWith('s3:') || isAllowed || !URL.canParse(url)) return url
  const wanted = new URL(url)
  wanted.searchParams.set('versioned', 'true')
  return wanted.href
}

/** Opens it. Whoever has no versioned bucket is told what to do about it. */
export async function openQueueStore(context: Context): Promise<Store> {
  const url = await queueUrl(context)
  try {
    return await context.openStore({ url })
  } catch (error) {
    const { StoreError } = await import('../../store/internal.ts')
    if (!(error instanceof StoreError) || error.reason !== 'unversioned') throw error
    const what = error.message.slice(0, -error.next.length).trimEnd()
    const next = `Turn on versioning for the bucket; or set ${allowance}=1 to do without what it keeps.`
    throw new StoreError('unversioned', what, next, error)
  }
}

/** Opens it for who serves metrics, so that what is asked of it is counted; a bucket does that by itself. */
export async function openMeasured(context: Context, port: number | undefined): Promise<Store> {
  const store = await openQueueStore(context)
  if (port === undefined) return store
  const { counted, s3Requests } = await import('../../store/internal.ts')
  return s3Requests(store) ? store : counted(store)
}
