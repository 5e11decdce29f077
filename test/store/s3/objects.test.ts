import assert from 'node:assert/strict'
import dns from 'node:dns'
import { createServer } from 'node:http'
import { beforeAll, describe, test, vi } from 'vitest'
import { openS3 } from '../../../src/store/drivers/s3/driver.ts'
import { s3Requests } from '../../../src/store/drivers/s3/requests.ts'
import {
  create,
  type Head,
  remove,
  type Store,
  update,
  type Version,
} from '../../../src/store/index.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { patiently, type S3Bucket, s3Bucket, serving } from './ground.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (value: Uint8Array | null | undefined): string | null =>
  value ? new TextDecoder().decode(value) : null

/** Commits what must succeed. */
async function put(store: Store, write: Parameters<Store['commit']>[0][number]): Promise<Head> {
  const result = await store.commit([write])
  assert.ok(result.ok)
  return { key: write.key, revision: result.revisions[0] ?? '' }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const keysOf = async (heads: AsyncIterable<Head>) => (await all(heads)).map(({ key }) => key)

describe('the objects of an S3 store', () => {
  let bucket: S3Bucket
  beforeAll(async () => {
    bucket = await s3Bucket(sharedMinio())
  })
  const request = (name: string, init?: RequestInit) =>
    bucket.account.request(`/${bucket.bucket}/${name}`, init)

  test('lie where other tools look for them, with types and readable bodies', async () => {
    await using store = await openS3(bucket.url('layout'))
    await put(store, create('qo/tasks/0/x.json', bytes('{"id":1}')))
    await put(store, create('qo/ui/index.html', bytes('<html>'), { once: true }))
    await put(store, create('np/s/1/meta', bytes('plain')))
    const task = await request('layout/tasks/0/x.json')
    assert.equal(task.headers.get('content-type'), 'application/json')
    assert.match(await task.text(), /^\{"id":1,"_w":"[0-9A-Z]{26}"\}$/)
    const page = await request('layout/ui/index.html')
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(await page.text(), '<html>')
    assert.match(
      await (await request('layout/holdfast/np/s/1/meta%21')).text(),
      /^w:\w{26}\nplain$/,
    )
  })

  test('that other tools wrote are read as they are, and can be changed', async () => {
    await using store = await openS3(bucket.url('foreign'))
    await request('foreign/tasks/0/y.json', { method: 'PUT', body: '{"by":"hand"}' })
    await request('foreign/tasks/0/empty.json', { method: 'PUT', body: '' })
    await request('foreign/README.md', { method: 'PUT', body: 'not ours' })
    assert.deepEqual(await keysOf(store.list('')), ['qo/tasks/0/y.json'])
    const entry = await store.get('qo/tasks/0/y.json')
    assert.equal(text(entry?.value), '{"by":"hand"}')
    await put(store, update(entry!, bytes('{"by":"us"}')))
    assert.equal(await store.get('qo/tasks/0/empty.json'), null)
    await put(store, create('qo/tasks/0/empty.json', bytes('{}')))
    assert.equal(text((await store.get('qo/tasks/0/empty.json'))?.value), '{}')
  })

  test('keep a value written once byte for byte, whatever it looks like', async () => {
    await using store = await openS3(bucket.url('once'))
    for (const [index, value] of ['w:01ARZ3NDEKTSV4RRFFQ69G5FAV\nx', '{"a":1}', ''].entries()) {
      await put(store, create(`qo/data/${index}`, bytes(value), { once: true }))
      assert.equal(text((await store.get(`qo/data/${index}`))?.value), value)
      if (value !== '') assert.equal(await (await request(`once/data/${index}`)).text(), value)
    }
  })

  test('of all namespaces are listed in the order of their keys, from any point, both ways', async () => {
    await using store = await openS3(bucket.url('order'))
    const keys = [
      'aa/1',
      'qn/z',
      'qo/a',
      'qo/a!',
      'qo/a/b',
      'qo/holdfast',
      'qo/holdfast/x',
      'qo/holdfast/y/z',
      'qo/holdfast0/x',
      'qo/tasks/0/x.json',
      'qo/zz',
      'qo0/a',
      'qo_/a',
      'zz/1',
    ]
    for (const key of keys.toReversed())
      if (key !== 'qo/a') await put(store, create(key, bytes(key)))
    await put(store, create('qo/a', bytes('qo/a')))
    assert.deepEqual(await keysOf(store.list('')), keys)
    assert.deepEqual(await keysOf(store.list('', { reverse: true })), keys.toReversed())
    for (const [index, key] of keys.entries()) {
      assert.deepEqual(await keysOf(store.list('', { after: key })), keys.slice(index + 1), key)
      assert.deepEqual(await keysOf(store.list('', { before: key })), keys.slice(0, index), key)
    }
    const inRoot = keys.filter((key) => key.startsWith('qo/'))
    assert.deepEqual(await keysOf(store.scan('qo')), inRoot)
    assert.deepEqual(await keysOf(store.list('qo/holdfast')), ['qo/holdfast/x', 'qo/holdfast/y/z'])
    assert.deepEqual(await keysOf(store.list('', { after: 'qo/b', limit: 2 })), [
      'qo/holdfast',
      'qo/holdfast/x',
    ])
  })

  test('are listed and counted by pages, tombstones left out', async () => {
    await using store = await openS3(bucket.url('pages', { more: patiently }))
    const heads = await Promise.all(
      Array.from({ length: 1050 }, (_, index) =>
        put(store, create(`ns/${String(index).padStart(4, '0')}`, bytes('1'))),
      ),
    )
    await Promise.all(heads.slice(0, 350).map((head) => put(store, remove(head))))
    const before = { ...s3Requests(store)! }
    assert.equal((await keysOf(store.list('ns'))).length, 700)
    assert.equal(s3Requests(store)!.LIST - before.LIST, 2)
    assert.deepEqual(await keysOf(store.list('ns', { limit: 1 })), ['ns/0350'])
    assert.ok(s3Requests(store)!.LIST - before.LIST < 10)
    await store.get('ns/0350')
    assert.equal(s3Requests(store)!.GET - before.GET, 1)
    assert.equal(s3Requests(store)!.PUT, before.PUT)
  })

  test('have all their versions, newest first, removals included', async () => {
    await using store = await openS3(bucket.url('versions'))
    let head = await put(store, create('qo/tasks/0/v.json', bytes('{"n":0}')))
    await put(store, create('qo/tasks/0/v.json.bak', bytes('another')))
    const revisions = [head.revision]
    for (let count = 1; count <= 230; count++) {
      head = await put(store, update(head, bytes(`{"n":${count}}`)))
      revisions.unshift(head.revision)
    }
    await put(store, remove(head))
    const versions: Version[] = await all(store.versions!('qo/tasks/0/v.json'))
    assert.deepEqual(versions.map(({ revision }) => revision).slice(1), revisions)
    assert.equal(versions[0]?.value, null)
    assert.equal(text(versions[1]?.value), '{"n":230}')
    assert.equal(text(versions.at(-1)?.value), '{"n":0}')
    assert.ok(versions.every(({ at }) => Math.abs(at - Date.now()) < 60_000))
    assert.deepEqual(await all(store.versions!('qo/tasks/0/never.json')), [])
    await request('versions/tasks/0/v.json', { method: 'DELETE' })
    const [marker] = await all(store.versions!('qo/tasks/0/v.json'))
    assert.equal(marker?.value, null)
    await put(store, create('qo/tasks/0/v.json', bytes('{}')))
  })

  test('are asked for at a host of the bucket where the URL says so', async () => {
    const hosts: (string | undefined)[] = []
    const server = createServer(({ headers, url }, response) => {
      hosts.push(`${headers.host} ${url}`)
      response.end('<VersioningConfiguration/>')
    })
    const here = [{ address: '127.0.0.1', family: 4 }]
    const lookup = ((_host: string, _options: object, told: (error: null, at: object) => void) =>
      told(null, here)) as typeof dns.lookup
    await serving(server, async (endpoint) => {
      vi.spyOn(dns, 'lookup').mockImplementation(lookup)
      const local = endpoint.replace('127.0.0.1', 'store.test')
      await using _store = await openS3(`s3://bucket?endpoint=${local}&path_style=false`)
      assert.deepEqual(hosts, [`bucket.${new URL(local).host} /?versioning=`])
    })
  })
})
