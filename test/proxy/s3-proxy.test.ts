import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { S3Account } from '../servers/s3.ts'
import { sharedMinio, sharedMinistack } from '../servers/shared.ts'
import { type S3Fault, type S3Proxy, startS3Proxy } from './s3-proxy.ts'

/** The status of an answer that came whole. */
async function statusOf(answer: Promise<Response>): Promise<number | 'failed'> {
  try {
    const response = await answer
    await response.arrayBuffer()
    return response.status
  } catch {
    return 'failed'
  }
}

for (const [name, share] of Object.entries({ MinIO: sharedMinio, ministack: sharedMinistack }))
  describe(`a fault proxy before ${name}`, () => {
    let proxy: S3Proxy
    let direct: S3Account
    let through: S3Account
    let bucket: string
    let keys = 0

    beforeAll(async () => {
      direct = await share()
      proxy = await startS3Proxy(direct.endpoint)
      through = new S3Account({ ...direct, endpoint: proxy.endpoint })
      bucket = await through.createBucket({ versioned: true })
    })
    afterAll(() => proxy[Symbol.asyncDispose]())

    /** Creates a new object while the fault happens: the answer, and what is in the bucket then. */
    async function create(fault: S3Fault) {
      const path = `/${bucket}/a%20key/${++keys}`
      const requestsBefore = proxy.requests['PUT'] ?? 0
      proxy.faults.next(fault, (request) => request.method === 'PUT' && request.path === path)
      const init = { method: 'PUT', body: 'value', headers: { 'if-none-match': '*' } }
      const status = await statusOf(through.request(path, init))
      assert.equal(
        proxy.requests['PUT'],
        requestsBefore + 1,
        'the client must not retry on its own',
      )
      const found = await direct.request(path)
      return { status, value: found.ok ? await found.text() : null }
    }

    test.each<[S3Fault, number | 'failed', string | null]>([
      ['drop-request', 'failed', null],
      ['drop-answer', 'failed', 'value'],
      ['cut-answer', 'failed', 'value'],
      ['delay', 200, 'value'],
      // The second one fails over the first.
      ['duplicate', 412, 'value'],
      ['500', 500, null],
      ['503', 503, null],
      ['409', 409, null],
      ['500-applied', 500, 'value'],
    ])('%s: the client sees %s, the bucket holds %s', async (fault, status, value) => {
      const countBefore = proxy.faults.counts[fault]
      assert.deepEqual(await create(fault), { status, value })
      assert.equal(proxy.faults.counts[fault], countBefore + 1)
    })

    test('cuts within a body', async () => {
      const path = `/${bucket}/large`
      await direct.request(path, { method: 'PUT', body: 'x'.repeat(100_000) })
      proxy.faults.next('cut-answer')
      const response = await through.request(path)
      assert.equal(response.status, 200)
      await assert.rejects(response.text())
    })

    test('passes what the server said', async () => {
      const path = `/${bucket}/plain?x-id=PutObject`
      const put = await through.request(path, { method: 'PUT', body: new Uint8Array([0, 255, 13]) })
      assert.ok(put.headers.get('x-amz-version-id'))
      const [one, two] = [await through.request(path), await direct.request(path)]
      for (const name of ['etag', 'content-length', 'last-modified', 'x-amz-version-id'])
        assert.equal(one.headers.get(name), two.headers.get(name))
      assert.deepEqual(await one.arrayBuffer(), await two.arrayBuffer())
      const head = await through.request(path, { method: 'HEAD' })
      assert.equal(head.headers.get('content-length'), '3')
      const list = await through.request(`/${bucket}?list-type=2&prefix=a%20key%2F`)
      assert.match(await list.text(), /<Key>a key\/\d+<\/Key>/)
    })
  })
