import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { type Answer, NoAnswer, type Transport } from '../../../src/store/drivers/s3/answer.ts'
import { Bucket } from '../../../src/store/drivers/s3/bucket.ts'
import { S3Client } from '../../../src/store/drivers/s3/client.ts'
import { credentialSource } from '../../../src/store/drivers/s3/credentials.ts'
import { hashes } from '../../../src/store/drivers/s3/hashes.ts'
import { LongList } from '../../../src/store/drivers/s3/listing.ts'
import { transportTo } from '../../../src/store/drivers/s3/means.ts'
import { type Place, placeOf } from '../../../src/store/drivers/s3/place.ts'
import { S3Store } from '../../../src/store/drivers/s3/store.ts'
import { guarded } from '../../../src/store/guard.ts'
import {
  create,
  type ListOptions,
  remove,
  type Store,
  type StoreError,
  update,
} from '../../../src/store/index.ts'
import { hashes as hashesOfPage } from '../../../web/src/bucket/means.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { s3Bucket } from './ground.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** What a page of another origin may see. */
const shown = ['etag', 'date', 'content-length', 'content-type']

/** Brings requests as a browser does, to pages that may see little, and loses the next answers to writes. */
class Veiled implements Transport {
  readonly atOnceMax = 16
  readonly isPatient = false
  readonly #inner: Transport
  readonly methods: string[] = []
  /** What happens between a write and the loss of its answer. */
  losing: (() => Promise<unknown>) | null = null

  constructor(inner: Transport) {
    this.#inner = inner
  }

  async send(outgoing: Parameters<Transport['send']>[0]): Promise<Answer> {
    this.methods.push(outgoing.method)
    const { losing } = this
    const { headers, ...answer } = await this.#inner.send(outgoing)
    if (outgoing.method === 'PUT' && losing !== null) {
      this.losing = null
      await losing()
      throw new NoAnswer(new Error('lost'), true)
    }
    const visible = Object.entries(headers).filter(([name]) => shown.includes(name))
    return { ...answer, headers: Object.fromEntries(visible), isFiltered: true }
  }

  close(): void {
    this.#inner.close()
  }
}

describe('an S3 store by a browser’s means', () => {
  const opened = async (more: Partial<Place> = {}) => {
    const { url, open } = await s3Bucket(sharedMinio(), { versioned: true })
    const other = await open('veiled')
    const place = { ...placeOf(url('veiled')), ...more }
    const transport = new Veiled(transportTo(place))
    const means = { credentials: await credentialSource(), hashes: hashesOfPage, transport }
    const probes = { result: async () => ({ isDeletionSafe: false }) }
    const bucket = new Bucket(new S3Client(place, means))
    const store: Store = guarded(new S3Store(bucket, { versioning: 'on', probes }))
    return { store, other, transport }
  }

  test('its hashes are those of Node', () => {
    for (const text of ['', 'a', 'é'.repeat(1_000)]) {
      assert.equal(hashesOfPage.sha256(text), hashes.sha256(text))
      assert.equal(hashesOfPage.md5(bytes(text)), hashes.md5(bytes(text)))
      const key = hashes.hmacKey(text, 'key')
      assert.deepEqual(hashesOfPage.hmacKey(text, 'key'), new Uint8Array(key))
      assert.equal(hashesOfPage.hmac(key, text), hashes.hmac(key, text))
    }
  })

  test('a write whose answer was lost is known by its ETag, though nothing says who made it', async () => {
    await using world = await opened().then(closing)
    const { store, transport } = world
    transport.losing = async () => {}
    const made = await store.commit([create('list/a', bytes('1'))])
    assert.equal(made.ok, true)
    const entry = await store.get('list/a')
    assert.ok(entry)
    transport.losing = async () => {}
    assert.equal((await store.commit([update(entry, bytes('2'))])).ok, true)
    assert.equal(transport.methods.filter((method) => method === 'PUT').length, 2, 'sent once each')
  })

  test('where another has changed it meanwhile, nobody can say what became of it', async () => {
    await using world = await opened().then(closing)
    const { store, other, transport } = world
    await store.commit([create('list/a', bytes('1'))])
    const entry = await store.get('list/a')
    assert.ok(entry)
    transport.losing = async () => {
      const now = await other.get('list/a')
      assert.ok(now)
      await other.commit([update(now, bytes('3'))])
    }
    await assert.rejects(store.commit([update(entry, bytes('2'))]), (error: StoreError) => {
      assert.equal(error.code, 'unknown_outcome')
      return true
    })
    assert.equal((await store.commit([update(entry, bytes('4'))])).ok, false, 'a plain conflict')
  })

  test('a list ends where its place says, and tells that it goes on', async () => {
    await using world = await opened({ listPagesMax: 2, versionsMax: 2 }).then(closing)
    const { store, other } = world
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
      await other.commit([create(`list/${name}`, bytes(name))])
    // Empty objects stay of what is removed: a page of one, and one of four.
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const entry = await store.get(`list/${name}`)
      assert.ok(entry)
      await store.commit([remove(entry)])
    }
    const listed = async (options: ListOptions): Promise<string[]> => {
      const keys: string[] = []
      for await (const { key } of store.list('list', options)) keys.push(key)
      return keys
    }
    await assert.rejects(listed({ limit: 1 }), LongList)
    assert.deepEqual(await listed({ limit: 2 }), ['list/f', 'list/g'])
    for (let nth = 0; nth < 4; nth++) {
      const now = await other.get('list/g')
      assert.ok(now)
      await other.commit([update(now, bytes(`${nth}`))])
    }
    const values: string[] = []
    for await (const { value } of store.versions?.('list/g') ?? [])
      values.push(new TextDecoder().decode(value ?? undefined))
    assert.deepEqual(values, ['3', '2'])
  })
})

const closing = <T extends { store: Store; other: Store }>(world: T) => ({
  ...world,
  async [Symbol.asyncDispose]() {
    await world.store[Symbol.asyncDispose]()
    await world.other[Symbol.asyncDispose]()
  },
})
