import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { afterEach, describe, test, vi } from 'vitest'
import { openS3 } from '../../../src/store/drivers/s3/driver.ts'
import { create, type StoreErrorReason } from '../../../src/store/index.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { assertFails } from '../failures.ts'
import { s3Bucket, serving } from './ground.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const minio = s3Bucket(sharedMinio())
const servingHttp = <T>(listener: RequestListener, body: (endpoint: string) => Promise<T>) =>
  serving(createServer(listener), body)

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

describe('an S3 store', () => {
  test('says so when the server takes requests and never answers', async () => {
    const { url } = await minio
    await servingHttp(
      () => {},
      async (endpoint) => {
        await assertFails(() => openS3(url('', { endpoint })), 'down')
      },
    )
  })

  test('has to be asked again where the server did not get the whole of a request', async () => {
    const { url } = await minio
    for (const word of ['IncompleteBody', 'RequestTimeout'])
      await servingHttp(
        (_, response) => response.writeHead(400).end(`<Error><Code>${word}</Code></Error>`),
        async (endpoint) => {
          await assertFails(() => openS3(url('', { endpoint })), 'down')
        },
      )
  })

  test('refuses wrong keys', async () => {
    const { url } = await minio
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'not-the-secret-of-this-server')
    await assertFails(() => openS3(url('')), 'permission')
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'nobody')
    await assertFails(() => openS3(url('')), 'permission')
  })

  test('refuses a bucket that does not exist, and does not create it', async () => {
    const { account, bucket, url } = await minio
    const missing = url('').replace(bucket, 'holdfast-nowhere')
    await assertFails(() => openS3(missing), 'missing_store')
    await assertFails(() => openS3(missing, { create: true }), 'missing_store')
    // Nor is a bucket, or a prefix, in which nothing was ever stored.
    await assertFails(() => openS3(url('fresh'), { create: false }), 'missing_store')
    assert.equal((await account.request('/holdfast-nowhere?versioning')).status, 404)
  })

  test('refuses a bucket without versions where they are needed', async () => {
    const { url } = await s3Bucket(sharedMinio(), { versioned: false })
    await assertFails(() => openS3(url('', { more: '&versioned=true' })), 'unversioned')
    await using store = await openS3(url(''))
    assert.equal(store.versions, undefined)
  })

  test('signs by the clock of the server when that of this machine is wrong', async () => {
    const { url } = await minio
    const hourMs = 3_600_000
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: now - 30 * hourMs })
    await using store = await openS3(url('skewed'))
    assert.equal((await store.commit([create('ns/a', bytes('1'))])).ok, true)
    assert.ok(Math.abs((await store.now()) - now) < hourMs)
  })

  test('refuses an endpoint that is not S3', async () => {
    const { url } = await minio
    for (const status of [200, 404, 400])
      await servingHttp(
        (_, response) => response.writeHead(status).end('<html><body>Hello</body></html>'),
        (endpoint) => assertFails(() => openS3(url('', { endpoint })), 'foreign_server'),
      )
    const nats = createTcpServer((socket) => socket.end('INFO {"server_id":"x"}\r\n'))
    await serving(nats, (endpoint) =>
      assertFails(() => openS3(url('', { endpoint })), 'foreign_server'),
    )
    const { endpoint } = (await minio).account
    const secure = url('', { endpoint: endpoint.replace('http:', 'https:') })
    await assertFails(() => openS3(secure), 'down')
  })

  test('says what a server means that takes no large objects', async () => {
    const { url } = await minio
    const tooLarge: RequestListener = (request, response) => {
      request.resume()
      if (request.method === 'PUT')
        response.writeHead(400).end('<Error><Code>EntityTooLarge</Code></Error>')
      else response.end('<VersioningConfiguration/>')
    }
    await servingHttp(tooLarge, async (endpoint) => {
      await using store = await openS3(url('', { endpoint }))
      await assertFails(() => store.commit([create('ns/a', bytes('1'))]), 'too_large')
    })
  })

  test('refuses URLs that make no sense, and never shows them', async () => {
    const secret = process.env['AWS_SECRET_ACCESS_KEY']
    const bad: Readonly<Record<string, StoreErrorReason>> = {
      's3://': 'unknown_url',
      's3:bucket': 'unknown_url',
      's3://b?endpoint=http://x': 'unknown_url',
      [`s3://user:${secret}@bucket`]: 'bad_option',
      's3://bucket?endpoint=ftp://x': 'bad_option',
      's3://bucket?timeout_ms=0': 'bad_option',
      's3://bucket?path_style=yes': 'bad_option',
      's3://bucket?probe=maybe': 'bad_option',
      [`s3://bucket?secret=${secret}`]: 'bad_option',
      [`s3://bucket/${'p'.repeat(201)}`]: 'bad_option',
      's3://bucket/a//b': 'bad_option',
    }
    await minio
    for (const [url, reason] of Object.entries(bad)) await assertFails(() => openS3(url), reason)
  })

  test('says so when there are no keys at all', async () => {
    const { url } = await minio
    vi.stubEnv('AWS_ACCESS_KEY_ID', '')
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
    vi.stubEnv('AWS_CONFIG_FILE', '/nonexistent')
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nonexistent')
    await assertFails(() => openS3(url('')), 'permission')
  })
})
