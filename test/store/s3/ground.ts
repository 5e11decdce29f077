import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { ulid } from 'ulid'
import type { Ground } from '../../../src/store/conformance/index.ts'
import { openS3 } from '../../../src/store/drivers/s3/driver.ts'
import type { Place } from '../../../src/store/drivers/s3/place.ts'
import type { Store } from '../../../src/store/index.ts'
import { startS3Proxy } from '../../proxy/s3-proxy.ts'
import type { S3Account } from '../../servers/s3.ts'
import { rememberProbe } from './known-probe.ts'

/** How long a request may take where its failing is not what is tested, on a machine with too much to do. */
export const patiently = '&timeout_ms=30000'

/** Fast enough for tests of watches. */
const pollMs = 100

export interface S3Bucket {
  readonly account: S3Account
  readonly bucket: string
  /** The URL of a store in this bucket, through another endpoint where one is given. */
  url(prefix: string, options?: UrlOptions): string
  /** Opens a store in this bucket. What a probe would find is written down there first, where it is to be known. */
  open(prefix: string, options?: UrlOptions): Promise<Store>
}

interface UrlOptions {
  readonly endpoint?: string
  readonly probe?: Probe
  readonly more?: string
}

type Probe = Place['probe']

interface BucketOptions {
  readonly versioned?: boolean
  /**
   * The server is tried out only where that is what a test is about, or where it decides how keys are
   * removed: it is more than a thousand writes. Where it is `known`, all files of a run share what one has found out.
   */
  readonly probe?: Probe | 'known'
}

/** Makes a bucket, and puts the keys to its server into the environment, where the driver looks for them. */
export async function s3Bucket(
  server: Promise<S3Account>,
  { versioned = true, probe: wantedProbe = 'never' }: BucketOptions = {},
): Promise<S3Bucket> {
  const account = await server
  Object.assign(process.env, account.environment)
  const bucket = await account.createBucket({ versioned })
  const isKnown = wantedProbe === 'known'
  const usualProbe = isKnown ? 'remembered' : wantedProbe
  const url: S3Bucket['url'] = (
    prefix,
    { endpoint = account.endpoint, probe = usualProbe, more = '' } = {},
  ) =>
    `s3://${bucket}/${prefix}?endpoint=${endpoint}&region=us-east-1&poll_ms=${pollMs}&probe=${probe}${more}`
  const remembered = new Map<string, Promise<void>>()
  const open: S3Bucket['open'] = async (prefix, options) => {
    if (isKnown && !remembered.has(prefix))
      remembered.set(prefix, rememberProbe(account, bucket, prefix))
    await remembered.get(prefix)
    return openS3(url(prefix, options))
  }
  return { account, bucket, url, open }
}

/** Ground in a folder of its own; the server is probed once, if at all. */
export async function s3Ground(bucket: Promise<S3Bucket>): Promise<Ground> {
  const { account, open } = await bucket
  const folder = ulid()
  const proxies: AsyncDisposable[] = []
  return {
    open: () => open(folder, { more: patiently }),
    openLosingAnswer: async () => {
      const proxy = await startS3Proxy(account.endpoint)
      proxies.push(proxy)
      proxy.faults.next('drop-answer', ({ method }) => method === 'PUT')
      return open(folder, { endpoint: proxy.endpoint, probe: 'never' })
    },
    [Symbol.asyncDispose]: async () => {
      for (const proxy of proxies) await proxy[Symbol.asyncDispose]()
    },
  }
}

/** Serves on a free port while the body runs. */
export async function serving<T>(
  server: Server,
  body: (endpoint: string) => Promise<T>,
): Promise<T> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await body(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
    if ('closeAllConnections' in server)
      (server as { closeAllConnections(): void }).closeAllConnections()
  }
}
