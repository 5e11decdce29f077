import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { AwsClient } from 'aws4fetch'
import { minio, ministack } from '../../scripts/fetch/paths.mjs'
import { freePorts } from './port.ts'
import {
  type DataOptions,
  type Launch,
  Server,
  type ServerOptions,
  type Start,
  started,
} from './server.ts'

/** Both servers know only this region; AWS takes it for any bucket without one. */
export const region = 'us-east-1'

const requestMsMax = 60_000

interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** One who may do everything on an S3 server. Plain data but for what it can do, so it can be sent on. */
export class S3Account implements Credentials {
  readonly endpoint: string
  readonly accessKeyId: string
  readonly secretAccessKey: string

  constructor({ endpoint, accessKeyId, secretAccessKey }: Credentials & { endpoint: string }) {
    this.endpoint = endpoint
    this.accessKeyId = accessKeyId
    this.secretAccessKey = secretAccessKey
  }

  /** What a person puts into the environment beside the URL. */
  get environment(): Record<string, string> {
    return {
      AWS_ACCESS_KEY_ID: this.accessKeyId,
      AWS_SECRET_ACCESS_KEY: this.secretAccessKey,
    }
  }

  storeUrl(bucket: string, endpoint = this.endpoint): string {
    return `s3://${bucket}?endpoint=${endpoint}&region=${region}`
  }

  /** A signed request, sent once. The path is as it stands in a URL: `/bucket/key?query`. */
  request(path: string, init: RequestInit = {}): Promise<Response> {
    const { accessKeyId, secretAccessKey } = this
    const key = { accessKeyId, secretAccessKey }
    const client = new AwsClient({ ...key, service: 's3', region, retries: 0 })
    const signal = init.signal ?? AbortSignal.timeout(requestMsMax)
    return client.fetch(`${this.endpoint}${path}`, { ...init, signal })
  }

  /** Makes a bucket with a name of its own, and gives the name. */
  async createBucket({ versioned = false } = {}): Promise<string> {
    const bucket = `holdfast-${randomBytes(6).toString('hex')}`
    await this.#mustSucceed(`/${bucket}`)
    if (versioned) await this.keepVersions(bucket)
    return bucket
  }

  keepVersions(bucket: string): Promise<void> {
    return this.#setVersioning(bucket, 'Enabled')
  }

  suspendVersions(bucket: string): Promise<void> {
    return this.#setVersioning(bucket, 'Suspended')
  }

  #setVersioning(bucket: string, status: 'Enabled' | 'Suspended'): Promise<void> {
    const versioning = `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`
    return this.#mustSucceed(`/${bucket}?versioning`, versioning)
  }

  async #mustSucceed(path: string, body: string | null = null): Promise<void> {
    const response = await this.request(path, { method: 'PUT', body })
    const text = await response.text()
    if (!response.ok) throw new Error(`PUT ${path} was answered ${response.status}: ${text}`)
  }
}

export abstract class S3Server extends Server {
  readonly port: number
  readonly account: S3Account

  constructor(name: string, start: Start, port: number, options: ServerOptions) {
    super(name, start, options)
    this.port = port
    this.account = new S3Account({
      endpoint: `http://127.0.0.1:${port}`,
      accessKeyId: `HOLDFAST${randomBytes(6).toString('hex').toUpperCase()}`,
      secretAccessKey: randomBytes(20).toString('hex'),
    })
  }

  /** Lists the buckets, which another server would refuse to these keys. */
  protected override async isReady(): Promise<boolean> {
    return (await this.account.request('/', { signal: AbortSignal.timeout(2_000) })).ok
  }
}

/** MinIO: keeps objects as files, verifies signatures, and knows no conditional DELETE. */
export class MinioServer extends S3Server {
  constructor(port: number, options: ServerOptions) {
    super('MinIO', minio(), port, options)
  }

  protected override launch(): Launch {
    const place = ['--certs-dir', join(this.folder, 'certs'), join(this.dataFolder, 'data')]
    return {
      args: ['server', '--address', `127.0.0.1:${this.port}`, ...place],
      env: {
        MINIO_ROOT_USER: this.account.accessKeyId,
        MINIO_ROOT_PASSWORD: this.account.secretAccessKey,
        MINIO_BROWSER: 'off',
        MINIO_UPDATE: 'off',
      },
    }
  }
}

interface MinistackOptions extends DataOptions {
  /** All that it keeps is gone when it ends. Writing it down takes it almost as long as all else. */
  readonly forgets?: boolean
}

/**
 * ministack: an emulator with AWS's semantics for conditional DELETE, delete markers and bucket CORS. It refuses
 * unknown access keys, but does not check the signature of this one. It keeps objects in files, unless it `forgets`, yet
 * the settings of buckets only when it ends in good order: after `kill()` no bucket is versioned any more.
 */
class MinistackServer extends S3Server {
  readonly #forgets: boolean

  constructor(port: number, { forgets = false, ...options }: MinistackOptions) {
    super('ministack', ministack(), port, options)
    this.#forgets = forgets
  }

  protected override launch(): Launch {
    return {
      args: [],
      env: {
        BIND_HOST: '127.0.0.1',
        GATEWAY_PORT: String(this.port),
        AUTH: 'true',
        AWS_ACCESS_KEY_ID: this.account.accessKeyId,
        AWS_SECRET_ACCESS_KEY: this.account.secretAccessKey,
        S3_PERSIST: this.#forgets ? '0' : '1',
        S3_DATA_DIR: join(this.folder, 's3'),
        PERSIST_STATE: this.#forgets ? '0' : '1',
        STATE_DIR: join(this.folder, 'state'),
        TMPDIR: this.folder,
        LOG_LEVEL: 'WARNING',
        // Listeners of other services, on ports that two emulators would fight over.
        IOT_MTLS_ENABLED: '0',
        SFTP_ENABLED: '0',
      },
    }
  }
}

const startOn = <S extends S3Server, O extends DataOptions>(
  kind: new (port: number, options: O) => S,
  options: O,
): Promise<S> => started(async () => new kind((await freePorts(1))[0]!, options))

export const startMinio = (options: ServerOptions = {}): Promise<MinioServer> =>
  startOn(MinioServer, options)
export const startMinistack = (options: MinistackOptions = {}): Promise<MinistackServer> =>
  startOn(MinistackServer, options)
