import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { create, mutate, remove, type Store, update } from '../../../src/store/index.ts'
import { type S3Fault, startS3Proxy } from '../../proxy/s3-proxy.ts'
import { type RecordedStore, recorded } from '../../record.ts'
import { sized } from '../../size.ts'
import { assertSums, incrementAll, missed } from '../sums.ts'
import type { S3Bucket } from './ground.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const clients = 8
const increments = sized(60, 500, 100)
/** Fewer faults where less is counted: how many outcomes stay unknown is to be as steady as ever. */
const share = sized(0.03, 0.1)

/** Every one of these may happen to a request that the server has applied. */
const faults: readonly S3Fault[] = ['drop-answer', 'cut-answer', '500-applied', 'duplicate']

async function withProxy(
  { account, open: openIn }: S3Bucket,
  share: number,
  body: (
    open: () => Promise<Store>,
    next: (kind: S3Fault, method: string) => void,
    faultCount: () => number,
  ) => Promise<void>,
): Promise<void> {
  await using proxy = await startS3Proxy(account.endpoint, { share, seed: 4 })
  const folder = `faults-${Math.random()}`
  // Probed before, if at all, on the server itself: whether it is sound is not what is tested here.
  await using direct = await openIn(folder)
  await direct.commit([create('ns/first', bytes('1'))])
  const open = () => openIn(folder, { endpoint: proxy.endpoint })
  const { faults } = proxy
  await body(
    open,
    (kind, method) => faults.next(kind, (request) => request.method === method),
    () => Object.values(faults.counts).reduce((sum, count) => sum + count),
  )
}

interface FaultedBuckets {
  /** Where increments are counted. */
  readonly counting: Promise<S3Bucket>
  /** Where answers get lost one by one: with versions, without which some writes can't be settled. */
  readonly settling: Promise<S3Bucket>
}

/** What must hold however answers get lost. The file that calls it has one server: its keys are in the environment. */
export function s3Faults(
  name: RecordedStore,
  { counting, settling }: FaultedBuckets,
  removal: 'PUT' | 'DELETE',
): void {
  describe(`S3 behind a faulty network (${name})`, () => {
    testSums(name, counting)
    testPlainCounters(settling)
    testSettling(settling, removal)
  })
}

function testSums(name: RecordedStore, bucket: Promise<S3Bucket>): void {
  test(`${clients} clients, ${increments} increments each, ${share * 100} % of requests faulted: the sums are exact`, async () => {
    await withProxy(await bucket, share, async (open, _, faultCount) => {
      const record = recorded({
        what: `increments behind a proxy, ${share * 100} % of requests fail`,
        store: name,
        promises: ['durable', 'exact', 'honest'],
      })
      const stores = await Promise.all(Array.from({ length: clients }, open))
      const troubles = await Promise.all(
        stores.map((store, index) => incrementAll(store, `c${index}`, increments)),
      )
      const operations = clients * increments
      record({ faults: faultCount(), operations, ...(await missed(stores[0]!, operations)) })
      await assertSums(stores[0]!, operations)
      const unknown = troubles.reduce((sum, { unknownOutcomes }) => sum + unknownOutcomes, 0)
      assert.ok(unknown < clients * increments * 0.01, `${unknown} unknown outcomes are not rare`)
      for (const store of stores) await store[Symbol.asyncDispose]()
    })
  })
}

function testPlainCounters(bucket: Promise<S3Bucket>): void {
  test('plain counters, which can not tell who counted, are exact as well', async () => {
    await withProxy(await bucket, share, async (open) => {
      const stores = await Promise.all(Array.from({ length: clients }, open))
      const count = (store: Store) =>
        mutate(
          store,
          'ns/count',
          (entry) => bytes(String(Number(entry ? Buffer.from(entry.value).toString() : 0) + 1)),
          { attemptsMax: 10_000 },
        )
      const each = sized(10, 25)
      await Promise.all(
        stores.map(async (store) => {
          for (let step = 0; step < each; step++) await count(store)
        }),
      )
      const entry = await stores[0]!.get('ns/count')
      assert.equal(Buffer.from(entry!.value).toString(), String(clients * each))
      for (const store of stores) await store[Symbol.asyncDispose]()
    })
  })
}

function testSettling(bucket: Promise<S3Bucket>, removal: 'PUT' | 'DELETE'): void {
  test.each(faults)('a write whose answer meets %s is settled', async (fault) => {
    await withProxy(await bucket, 0, async (open, next) => {
      await using store = await open()
      await store.commit([create('ns/b', bytes('1'))])
      next(fault, 'PUT')
      const created = await store.commit([create('ns/a', bytes('1'))])
      assert.ok(created.ok)
      next(fault, 'PUT')
      const head = { key: 'ns/a', revision: created.revisions[0]! }
      const updated = await store.commit([update(head, bytes('2'))])
      assert.ok(updated.ok)
      assert.equal((await store.get('ns/a'))?.revision, updated.revisions[0])
      next(fault, 'PUT')
      assert.deepEqual(await store.commit([update(head, bytes('3'))]), { ok: false })
      next(fault, 'PUT')
      assert.deepEqual(await store.commit([create('ns/a', bytes('3'))]), { ok: false })
      next(fault, 'PUT')
      assert.ok((await store.commit([create('ns/once', bytes('3'), { once: true })])).ok)
    })
  })

  test('a removal whose answer is lost is settled, or says that it does not know', async () => {
    await withProxy(await bucket, 0, async (open, next) => {
      await using store = await open()
      const created = await store.commit([create('ns/a', bytes('1'))])
      assert.ok(created.ok)
      next('drop-answer', removal)
      const outcome = await store
        .commit([remove({ key: 'ns/a', revision: created.revisions[0]! })])
        .then(
          ({ ok }) => ok,
          (error: { code: string }) => error.code,
        )
      assert.equal(outcome, removal === 'PUT' ? true : 'unknown_outcome')
      assert.equal(await store.get('ns/a'), null)
    })
  })
}
