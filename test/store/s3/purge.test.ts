import assert from 'node:assert/strict'
import { beforeAll, describe, test } from 'vitest'
import { s3Requests } from '../../../src/store/drivers/s3/requests.ts'
import {
  create,
  type Head,
  openStore,
  prefixed,
  remove,
  type Store,
  update,
} from '../../../src/store/index.ts'
import { sharedMinio, sharedMinistack } from '../../servers/shared.ts'
import { sized } from '../../size.ts'
import { assertFails } from '../failures.ts'
import { patiently, type S3Bucket, s3Bucket } from './ground.ts'

const rounds = sized(2, 3)
const value = new TextEncoder().encode('{"a":1}')

async function put(store: Store, key: string): Promise<Head> {
  const result = await store.commit([create(key, value)])
  assert.ok(result.ok)
  return { key, revision: result.revisions[0] as string }
}

async function drop(store: Store, key: string): Promise<void> {
  await dropHead(store, (await store.get(key)) as Head)
}

async function dropHead(store: Store, head: Head): Promise<void> {
  assert.ok((await store.commit([remove(head)])).ok)
}

async function keysOf(store: Store, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list(prefix)) keys.push(key)
  return keys
}

/** How many versions there are, markers included. */
async function versionsBelow({ account, bucket }: S3Bucket, folder: string): Promise<number> {
  const answer = await account.request(`/${bucket}?versions&prefix=${encodeURIComponent(folder)}`)
  return (await answer.text()).match(/<VersionId>/g)?.length ?? 0
}

const servers = [
  { name: 'MinIO, where removals leave empty objects', start: sharedMinio, probe: 'never' },
  {
    name: 'ministack, where they leave delete markers',
    start: sharedMinistack,
    probe: 'known',
  },
] as const

describe.each(servers)('purge on $name', ({ start, probe }) => {
  let bucket: S3Bucket
  beforeAll(async () => {
    bucket = await s3Bucket(start(), { probe })
  })

  test('takes away removed keys with all their versions, and leaves the others', async () => {
    await using store = await bucket.open('all')
    for (const id of ['a', 'b', 'c']) await put(store, `qo/ready/0/${id}`)
    await drop(store, 'qo/ready/0/a')
    await drop(store, 'qo/ready/0/b')
    await put(store, 'qo/ready/0/b')
    assert.equal(await store.purge!('qo/ready', { olderThanMs: 0 }), 1)
    assert.deepEqual(await keysOf(store, 'qo/ready'), ['qo/ready/0/b', 'qo/ready/0/c'])
    // b was there, removed, and there again.
    assert.equal(await versionsBelow(bucket, 'all/ready/'), 4)
    assert.equal(await store.purge!('qo/ready', { olderThanMs: 0 }), 0)
  })

  test('leaves what was removed lately, and what lies from the bound on', async () => {
    await using store = await bucket.open('bounds')
    for (const id of ['a', 'b']) {
      await put(store, `qo/ready/0/${id}`)
      await drop(store, `qo/ready/0/${id}`)
    }
    assert.equal(await store.purge!('qo/ready/0', { olderThanMs: 60_000 }), 0)
    assert.equal(await store.purge!('qo/ready/0', { olderThanMs: 0, before: 'qo/ready/0/b' }), 1)
    assert.equal(await store.purge!('qo/ready/1', { olderThanMs: 0 }), 0)
    assert.equal(await store.purge!('qo/ready/0', { olderThanMs: 0 }), 1)
  })

  test('a key that was purged can be created again', async () => {
    await using store = await bucket.open('again')
    await put(store, 'np/s/1')
    await drop(store, 'np/s/1')
    assert.equal(await store.purge!('np', { olderThanMs: 0 }), 1)
    await put(store, 'np/s/1')
    assert.deepEqual(await keysOf(store, 'np'), ['np/s/1'])
  })

  test('races of purges and creations lose no key', async () => {
    await using store = await bucket.open('race', { more: patiently })
    const ids = Array.from({ length: 40 }, (_, index) => `qo/leases/0/${index}`)
    for (let round = 0; round < rounds; round++) {
      await Promise.all(ids.map((id) => put(store, id)))
      await Promise.all(ids.map((id) => drop(store, id)))
      const purges = [1, 2, 3].map(() => store.purge!('qo/leases', { olderThanMs: 0 }))
      await Promise.all([...ids.map((id) => put(store, id)), ...purges])
      assert.deepEqual(await keysOf(store, 'qo/leases'), ids.toSorted())
      await Promise.all(ids.map((id) => drop(store, id)))
    }
  })

  test('a prefixed store purges its own part', async () => {
    await using store = await bucket.open('part')
    for (const key of ['qo/ready/0/a', 'qo/ready/1/a']) {
      await put(store, key)
      await drop(store, key)
    }
    const part = prefixed(store, 'qo/ready')
    assert.equal(await part.purge!('1', { olderThanMs: 0, before: '1/b' }), 1)
    assert.equal(await store.purge!('qo', { olderThanMs: 0 }), 1)
  })
})

describe.each(servers)('purge of old versions on $name', ({ start, probe }) => {
  test('takes older versions of what is there only where that is asked for, and only old ones', async () => {
    const bucket = await s3Bucket(start(), { probe })
    await using store = await bucket.open('superseded')
    const keys = ['qo/workers/a.json', 'qo/workers/b.json']
    for (const key of keys) {
      let head = await put(store, key)
      for (let beat = 0; beat < 4; beat++) {
        const result = await store.commit([update(head, value)])
        assert.ok(result.ok)
        head = { key, revision: result.revisions[0] as string }
      }
    }
    await put(store, 'qo/workers/c.json')
    await drop(store, 'qo/workers/c.json')
    assert.equal(await store.purge!('qo/workers', { olderThanMs: 0 }), 1)
    assert.equal(await versionsBelow(bucket, 'superseded/workers/'), 10)
    const superseded = true
    assert.equal(await store.purge!('qo/workers', { olderThanMs: 60_000, superseded }), 0)
    const bound = { olderThanMs: 0, before: keys[1], superseded }
    assert.equal(await store.purge!('qo/workers', bound), 4)
    assert.equal(await store.purge!('qo/workers', { olderThanMs: 0, superseded }), 4)
    assert.equal(await versionsBelow(bucket, 'superseded/workers/'), 2)
    assert.deepEqual(await keysOf(store, 'qo/workers'), keys)
    for (const key of keys) assert.deepEqual((await store.get(key))?.value, value)
  })
})

describe('purge', () => {
  test('of more than a thousand versions takes few requests', async () => {
    const bucket = await s3Bucket(sharedMinio())
    await using store = await bucket.open('many', { more: patiently })
    // Twice as many versions: more than a page of a list, and than S3 deletes at once.
    const count = sized(510, 1010)
    const keys = Array.from({ length: count }, (_, index) => `qo/ready/0/${index}`)
    const heads = await Promise.all(keys.map((key) => put(store, key)))
    await Promise.all(heads.map((head) => dropHead(store, head)))
    const before = { ...s3Requests(store)! }
    assert.equal(await store.purge!('qo/ready/0', { olderThanMs: 0 }), keys.length)
    const { LIST, DELETE } = s3Requests(store)!
    const pages = Math.ceil((2 * count) / 1000)
    assert.equal(LIST - before.LIST, pages)
    assert.ok(DELETE - before.DELETE <= 2 * pages)
  })

  test('is there only where versions are kept and removals leave something', async () => {
    const bucket = await s3Bucket(sharedMinio(), { versioned: false })
    await using store = await bucket.open('unversioned')
    assert.equal(store.purge, undefined)
    await using memory = await openStore('memory:')
    assert.equal(memory.purge, undefined)
  })

  test('refuses a bad prefix, a bad bound and a bad age', async () => {
    const bucket = await s3Bucket(sharedMinio())
    await using store = await bucket.open('bad')
    await assertFails(() => store.purge!('a//b', { olderThanMs: 0 }), 'bad_key')
    await assertFails(() => store.purge!('qo', { olderThanMs: 0, before: '' }), 'bad_key')
    await assertFails(() => store.purge!('qo', { olderThanMs: -1 }), 'bad_option')
  })
})
