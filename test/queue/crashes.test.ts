import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Monitor, Queue } from '../../src/queue/index.ts'
import { Repository } from '../../src/queue/repository.ts'
import { limited, openStore, type Store } from '../../src/store/index.ts'
import { atEveryCrash } from '../models/crashes.ts'
import { assertLayout, assertNoneMissing } from './layout.ts'

const ids = {
  pending: '00000000-0000-4000-8000-000000000000',
  running: '10000000-0000-4000-8000-000000000000',
  failed: '20000000-0000-4000-8000-000000000000',
  completed: '30000000-0000-4000-8000-000000000000',
}
const leaseId = '11111111-1111-4111-8111-111111111111'
const nowMs = Date.parse('2026-01-02T03:04:05.678Z')
const now = () => nowMs

async function fill(store: Store): Promise<Store> {
  const queue = new Queue(store, { now })
  const repository = new Repository(store, () => {})
  for (const id of Object.values(ids)) await queue.submit({ type: 'email', id })
  for (const id of [ids.running, ids.failed, ids.completed])
    await repository.change(id, ['claim', { workerId: 'w', leaseId, nowMs }])
  const failure = { leaseId, nowMs, error: 'no', isPermanent: true, random: 0 }
  await repository.change(ids.failed, ['fail', failure])
  await repository.change(ids.completed, ['complete', { leaseId, nowMs, output: null }])
  return store
}

const operations: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  submit: (store) => new Queue(store, { now }).submit({ type: 'email' }),
  'submit with a key': (store) =>
    new Queue(store, { now }).submit({ type: 'email', idempotencyKey: 'k' }),
  submitMany: (store) => new Queue(store, { now }).submitMany([{ type: 'a' }, { type: 'b' }]),
  claim: (store) =>
    new Repository(store, () => {}).change(ids.pending, [
      'claim',
      { workerId: 'w', leaseId, nowMs },
    ]),
  'fail, to be tried again': (store) =>
    new Repository(store, () => {}).change(ids.running, [
      'fail',
      { leaseId, nowMs, error: 'no', random: 0 },
    ]),
  complete: (store) =>
    new Repository(store, () => {}).change(ids.running, [
      'complete',
      { leaseId, nowMs, output: 1 },
    ]),
  'renewal into another minute': (store) =>
    new Repository(store, () => {}).change(ids.running, [
      'renew',
      { leaseId, untilMs: nowMs + 999_999 },
    ]),
  replay: (store) => new Queue(store, { now }).replay(ids.failed),
  cancel: (store) => new Queue(store, { now }).cancel(ids.pending),
  archive: (store) => new Queue(store, { now }).archive(ids.completed),
  'the monitor, of an expired lease': (store) =>
    new Monitor(store, { now: () => nowMs + 999_999 }).check(),
}

/** What was there before is there still. */
async function assertThere(store: Store): Promise<void> {
  const queue = new Queue(store)
  for (const id of Object.values(ids)) assert.equal((await queue.get(id)).id, id)
}

describe('a crash between any two writes, on a store that commits one write at a time', () => {
  for (const [name, operate] of Object.entries(operations))
    test(`${name}: nothing is lost or missed, and repair brings the exact truth`, async () => {
      await atEveryCrash({
        prepare: async () => fill(limited(await openStore('memory:'), 1)),
        operate,
        check: async (store) => {
          await assertThere(store)
          await assertNoneMissing(store)
          await new Queue(store).repair({ graceMs: 0 })
          await assertLayout(store)
        },
      })
    })

  test('submit with a key, then the same again: one task, under the id that the key stood for', async () => {
    await atEveryCrash({
      prepare: async () => limited(await openStore('memory:'), 1),
      operate: operations['submit with a key'] as (store: Store) => Promise<unknown>,
      check: async (store) => {
        const entry = await store.get('qo_own/idem/k')
        const queue = new Queue(store, { now })
        const { id } = await queue.submit({ type: 'email', idempotencyKey: 'k' })
        if (entry) assert.equal(new TextDecoder().decode(entry.value), id)
        assert.equal((await queue.list()).tasks.length, 1)
      },
    })
  })
})

describe('a crash at any commit, on a store with transactions', () => {
  for (const [name, operate] of Object.entries(operations))
    test(`${name}: all or nothing, with nothing to repair`, async () => {
      await atEveryCrash({
        prepare: async () => fill(await openStore('memory:')),
        operate,
        check: async (store) => {
          await assertThere(store)
          await assertLayout(store)
        },
      })
    })
})
