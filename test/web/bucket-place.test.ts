import assert from 'node:assert/strict'
import { AwsV4Signer } from 'aws4fetch'
import { afterAll, beforeEach, describe, test } from 'vitest'
import { connectBucket } from '../../web/src/bucket/connect.ts'
import { Failure } from '../../web/src/source/failure.ts'

const usual = globalThis.fetch
const keys = { accessKeyId: 'ID', secretAccessKey: 'SECRET', sessionToken: 'TOKEN' }
const place = { bucket: 'tasks-here', prefix: '', endpoint: '', region: 'eu-central-1' }

describe('where a page looks for a bucket', () => {
  let asked: { url: string; headers: Record<string, string> }[] = []
  beforeEach(() => {
    asked = []
    globalThis.fetch = async (input, init) => {
      asked.push({ url: String(input), headers: init?.headers as Record<string, string> })
      const isSettings = String(input).includes('versioning')
      const name = isSettings ? 'VersioningConfiguration' : 'ListBucketResult'
      return new Response(`<${name}/>`, { headers: { date: new Date().toUTCString() } })
    }
  })
  afterAll(() => {
    globalThis.fetch = usual
  })

  /** Another hand must sign the same request the same way. */
  async function assertSigned(region: string): Promise<void> {
    for (const { url, headers } of asked) {
      const { authorization, ...others } = headers
      const { headers: signed } = await new AwsV4Signer({
        ...keys,
        url,
        headers: others,
        service: 's3',
        region,
        datetime: headers['x-amz-date'] as string,
      }).sign()
      assert.equal(
        authorization?.replaceAll(',', ''),
        signed.get('authorization')?.replaceAll(',', ''),
      )
    }
  }

  test('on AWS by host, elsewhere by path, below its folder; the keys only sign', async () => {
    const source = await connectBucket({ ...place, prefix: '/a b/c/' }, keys)
    assert.deepEqual(
      asked.map(({ url }) => url),
      [
        'https://tasks-here.s3.eu-central-1.amazonaws.com/?versioning=',
        'https://tasks-here.s3.eu-central-1.amazonaws.com/?encoding-type=url&list-type=2&max-keys=1000&prefix=a%20b%2Fc%2Ftasks%2F0%2F',
      ],
    )
    assert.equal(source.detail, 'AWS, eu-central-1')
    await assertSigned('eu-central-1')
    assert.ok(!JSON.stringify(asked).includes('SECRET'))
    asked = []
    const endpoint = 'https://minio.example:9000'
    await connectBucket({ ...place, endpoint, region: '' }, keys)
    assert.ok(asked.every(({ url }) => url.startsWith(`${endpoint}/tasks-here/?`)))
    await assertSigned('us-east-1')
    asked = []
    await connectBucket({ ...place, endpoint: `${endpoint}/behind/a/proxy/` }, keys)
    assert.ok(asked.every(({ url }) => url.startsWith(`${endpoint}/behind/a/proxy/tasks-here/?`)))
    await assertSigned('eu-central-1')
  })

  test('what is no address is refused before anybody is asked', async () => {
    for (const wrong of [
      { ...place, bucket: 'two words' },
      { ...place, bucket: 'a/b' },
      { ...place, endpoint: 'nowhere' },
    ])
      await assert.rejects(connectBucket(wrong, keys), (error) => {
        assert.ok(error instanceof Failure)
        return error.kind === 'invalid' && /not the address of a bucket/.test(error.message)
      })
    assert.deepEqual(asked, [])
  })

  test('a server that speaks something else is refused', async () => {
    globalThis.fetch = async () => new Response('<html>hello</html>')
    await assert.rejects(connectBucket(place, keys), /That is not an answer from S3/)
  })
})
