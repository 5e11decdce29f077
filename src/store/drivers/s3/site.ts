import { createHash } from 'node:crypto'
import { textIn } from '../../bytes.ts'
import { StoreError } from '../../error.ts'
import type { Setting, SiteFile, SiteOptions, SiteReport } from '../../publish.ts'
import type { Answer } from './answer.ts'
import { contentType } from './body.ts'
import { Bucket, etagOf } from './bucket.ts'
import type { Ask } from './client.ts'
import { credentialSource } from './credentials.ts'
import { Refusal } from './failure.ts'
import { s3Client } from './means.ts'
import { type Place, placeOf } from './place.ts'

/** What a page needs that signs its requests to the bucket itself. */
const siteCors =
  '<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin>' +
  ['GET', 'PUT', 'HEAD'].map((method) => `<AllowedMethod>${method}</AllowedMethod>`).join('') +
  '<AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader><ExposeHeader>Date</ExposeHeader>' +
  '</CORSRule></CORSConfiguration>'

const forever = 'public, max-age=31536000, immutable'

/**
 * Puts files for browsers into the bucket of an S3 store: byte for byte, with their types, and replaceable. So they are
 * not values of the store: those carry the id of their write, or are never replaced.
 */
export async function publishSite(url: string, options: SiteOptions): Promise<SiteReport> {
  const place = placeOf(url)
  const client = s3Client(place, await credentialSource())
  try {
    const site = new Site(new Bucket(client), place, options)
    return await site.publish()
  } finally {
    client.close()
  }
}

class Site {
  readonly #bucket: Bucket
  readonly #place: Place
  readonly #options: SiteOptions

  constructor(bucket: Bucket, place: Place, options: SiteOptions) {
    this.#bucket = bucket
    this.#place = place
    this.#options = options
  }

  async publish(): Promise<SiteReport> {
    const { files, folder, isPublic } = this.#options
    let written = 0
    for (const file of files) if (await this.#put(file)) written++
    const { bucket, endpoint, isPathStyle, prefix } = this.#place
    const base = isPathStyle
      ? `${endpoint.origin}/${bucket}`
      : `${endpoint.protocol}//${bucket}.${endpoint.host}`
    return {
      url: `${base}/${prefix}${folder}/index.html`,
      bucket,
      isPathStyle,
      written,
      kept: files.length - written,
      cors: await this.#setting('cors', siteCors, (text) => /ExposeHeader>\s*ETag/i.test(text)),
      policy: isPublic ? await this.#publicPolicy() : null,
    }
  }

  /** False where it is there as it should be. */
  async #put(file: SiteFile): Promise<boolean> {
    const name = `${this.#place.prefix}${this.#options.folder}/${file.path}`
    const there = await this.#ask({ kind: 'HEAD', name }, [200, 404])
    // An ETag is not always a hash of the content; where it is none, the file is written again.
    const md5 = createHash('md5').update(file.body).digest('hex')
    if (there.status === 200 && (file.isHashed || etagOf(there) === md5)) return false
    const condition: Record<string, string> =
      there.status === 404 ? { 'if-none-match': '*' } : { 'if-match': `"${etagOf(there)}"` }
    const headers = {
      ...condition,
      'content-type': contentType(name, file.body),
      'cache-control': file.isHashed ? forever : 'no-cache',
    }
    const answer = await this.#ask({ kind: 'PUT', name, headers, body: file.body }, [200, 409, 412])
    if (answer.status === 200) return true
    throw new StoreError(
      'down',
      `Somebody else is writing ${name} at the same time.`,
      'Do it again when they are done.',
    )
  }

  /** Rules that are there already are somebody's: they are never overwritten. */
  async #setting(
    name: 'cors' | 'policy',
    wanted: string,
    isFine: (text: string) => boolean,
  ): Promise<Setting> {
    const query = { [name]: '' }
    const there = await this.#ask({ kind: 'GET', name: '', query }, [200, 403, 404, 501])
    if (there.status === 501) return 'unsupported'
    if (there.status === 403) return 'refused'
    if (there.status === 200) return isFine(textIn(there.body)) ? 'there' : 'other'
    const body = Buffer.from(wanted)
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
    const ask: Ask = { kind: 'PUT', name: '', query, headers, body }
    const answer = await this.#ask(ask, [200, 204, 403, 501])
    return answer.status === 501 ? 'unsupported' : answer.status === 403 ? 'refused' : 'set'
  }

  #publicPolicy(): Promise<Setting> {
    const { bucket, prefix } = this.#place
    const resource = `arn:aws:s3:::${bucket}/${prefix}${this.#options.folder}/*`
    const statement = {
      Effect: 'Allow',
      Principal: '*',
      Action: 's3:GetObject',
      Resource: resource,
    }
    const policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
    return this.#setting('policy', policy, (text) => text.includes(resource))
  }

  #ask(ask: Ask, expected: readonly number[]): Promise<Answer> {
    return this.#bucket.run(async (deadline) => {
      if (ask.kind !== 'PUT') return this.#bucket.client.read(ask, expected, deadline)
      const answer = await this.#bucket.client.once(ask, deadline)
      if (expected.includes(answer.status)) return answer
      throw new Refusal(answer)
    })
  }
}
