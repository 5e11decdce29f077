import { AwsClient } from 'aws4fetch'
import { pageFiles } from '../../src/cli/qo/ui.ts'
import { Queue } from '../../src/queue/index.ts'
import { publishSite } from '../../src/store/drivers/s3/site.ts'
import { openStore, type Store } from '../../src/store/internal.ts'
import type { S3Account } from '../servers/s3.ts'
import { sharedMinio } from '../servers/shared.ts'
import { patiently } from '../store/s3/ground.ts'
import type { Visit } from './browser.ts'
import { webFolder } from './served.ts'

/** A bucket that holds a queue, and the page by which one looks at it. */
export class BucketScene implements AsyncDisposable {
  readonly account: S3Account
  readonly bucket: string
  readonly store: Store
  readonly queue: Queue
  /** Where the page is, in the bucket itself. */
  readonly url: string

  private constructor(account: S3Account, bucket: string, store: Store, url: string) {
    this.account = account
    this.bucket = bucket
    this.store = store
    this.queue = new Queue(store)
    this.url = url
  }

  static async start({
    versioned = true,
    account: given,
  }: {
    versioned?: boolean
    account?: S3Account
  } = {}): Promise<BucketScene> {
    const account = given ?? (await sharedMinio())
    Object.assign(process.env, account.environment)
    const bucket = await account.createBucket({ versioned })
    const storeUrl = `${account.storeUrl(bucket)}&probe=never${patiently}`
    const store = await openStore(storeUrl)
    const files = await pageFiles(webFolder)
    const { url } = await publishSite(storeUrl, { folder: 'ui', files, isPublic: true })
    return new BucketScene(account, bucket, store, url)
  }

  /** Fills in the form; what is given stands for what is right. */
  async connect(guest: Visit, given: Record<string, string> = {}): Promise<void> {
    const { accessKeyId, secretAccessKey } = this.account
    const fields = {
      'Access key ID': accessKeyId,
      'Secret access key': secretAccessKey,
      ...given,
    }
    for (const [label, text] of Object.entries(fields))
      await guest.page.getByLabel(label, { exact: true }).fill(text)
    await guest.press('Connect')
  }

  /** The bytes of an object, as any tool would read them. */
  async object(name: string): Promise<string> {
    return (await this.account.request(`/${this.bucket}/${name}`)).text()
  }

  async names(prefix: string): Promise<string[]> {
    const query = `?list-type=2&prefix=${encodeURIComponent(prefix)}`
    const xml = await (await this.account.request(`/${this.bucket}/${query}`)).text()
    const found = [...xml.matchAll(/<Key>([^<]*)<\/Key>.*?<Size>(\d+)<\/Size>/g)]
    return found.filter(([, , size]) => size !== '0').map(([, name]) => name as string)
  }

  /** Keys for a quarter of an hour that may only read. */
  readingKeys(): Promise<Record<string, string>> {
    const Action = ['s3:GetObject', 's3:GetObjectVersion', 's3:ListBucket', 's3:ListBucketVersions']
    const statement = { Effect: 'Allow', Action, Resource: ['arn:aws:s3:::*'] }
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
    return this.#shortKeys({ Action: 'AssumeRole', DurationSeconds: '900', Policy })
  }

  /** Keys that expire soon. MinIO gives none for less than a quarter of an hour. */
  expiringKeys(seconds: number): Promise<Record<string, string>> {
    return this.#shortKeys({ Action: 'GetSessionToken', DurationSeconds: String(seconds) })
  }

  /** Whether the server still takes these keys. */
  async isGood(keys: Record<string, string>): Promise<boolean> {
    const client = new AwsClient({
      accessKeyId: keys['Access key ID'] ?? '',
      secretAccessKey: keys['Secret access key'] ?? '',
      sessionToken: keys['Session token (optional)'] ?? '',
      service: 's3',
      region: 'us-east-1',
      retries: 0,
    })
    return (await client.fetch(`${this.account.endpoint}/${this.bucket}?list-type=2&max-keys=1`)).ok
  }

  async #shortKeys(asked: Record<string, string>): Promise<Record<string, string>> {
    const { accessKeyId, secretAccessKey, endpoint } = this.account
    const sts = new AwsClient({ accessKeyId, secretAccessKey, service: 'sts', region: 'us-east-1' })
    const body = new URLSearchParams({ Version: '2011-06-15', ...asked })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const init = { method: 'POST', body: body.toString(), headers }
    const answer = await (await sts.fetch(`${endpoint}/`, init)).text()
    const field = (name: string) => new RegExp(`<${name}>([^<]+)<`).exec(answer)?.[1] ?? ''
    return {
      'Access key ID': field('AccessKeyId'),
      'Secret access key': field('SecretAccessKey'),
      'Session token (optional)': field('SessionToken'),
    }
  }

  async put(name: string, body: string): Promise<void> {
    await this.account.request(`/${this.bucket}/${name}`, { method: 'PUT', body })
  }

  async remove(name: string): Promise<void> {
    await this.account.request(`/${this.bucket}/${name}`, { method: 'DELETE' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.queue.close()
    await this.store[Symbol.asyncDispose]()
  }
}
