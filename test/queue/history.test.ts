import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { changing } from '../../src/queue/fields.ts'
import { extended, newTrail, pagesIn, statesOf } from '../../src/queue/history.ts'
import { Queue } from '../../src/queue/index.ts'
import { Repository } from '../../src/queue/repository.ts'
import { limited, openStore, type Store } from '../../src/store/index.ts'
import { atEveryCrash } from '../models/crashes.ts'

const leaseId = '11111111-1111-4111-8111-111111111111'
const id = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'

/** A task that has failed and been replayed so many times, each with a long error: three versions a time. */
async function cycled(store: Store, times: number): Promise<void> {
  const repository = new Repository(store, () => {})
  for (let at = 0; at < times; at++) {
    const nowMs = (await store.now()) + 1
    await repository.change(id, ['claim', { workerId: 'w', leaseId, nowMs }])
    const error = `${at} ${'x'.repeat(2_000)}`
    await repository.change(id, ['fail', { leaseId, nowMs, error, isPermanent: true, random: 0 }])
    await repository.change(id, ['replay', { nowMs }])
  }
}

describe('a history that outgrows its document', () => {
  test('is kept in pages that are written once, and read back whole', async () => {
    await using store = await openStore('memory:')
    const queue = new Queue(store)
    await queue.submit({ type: 't', id })
    await cycled(store, 40)
    const history = await queue.history(id)
    assert.equal(history.length, 121)
    assert.deepEqual(
      history.map(({ version }) => version),
      Array.from({ length: 121 }, (_, at) => at + 1),
    )
    for (const [at, { task }] of history.entries()) {
      const status = (['pending', 'running', 'failed'] as const)[at % 3]
      assert.equal(task.status, status)
      assert.equal(task.attempt, Math.ceil(at / 3) + (at % 3 === 1 ? 0 : 0))
      const failures = Math.floor((at + 1) / 3)
      if (failures > 0) assert.match(task.last_error ?? '', new RegExp(`^${failures - 1} x`))
    }
    const entry = await store.get(`qo/tasks/f/${id}.json`)
    assert.ok((entry?.value.byteLength ?? 0) < 60_000, `${entry?.value.byteLength} bytes`)
    let pages = 0
    for await (const _ of store.list('qo_own/history')) pages++
    assert.ok(pages >= 3, `${pages} pages`)
  })

  test('a crash at any write loses none of it', async () => {
    await atEveryCrash({
      prepare: async () => {
        const store = limited(await openStore('memory:'), 1)
        await new Queue(store).submit({ type: 't', id })
        await cycled(store, 4)
        return store
      },
      operate: (store) => cycled(store, 4),
      check: async (store) => {
        const queue = new Queue(store)
        const before = (await queue.history(id)).length
        const { status } = await queue.get(id)
        if (status === 'pending') await queue.cancel(id)
        const history = await queue.history(id)
        assert.equal(history.length, before + (status === 'pending' ? 1 : 0))
        assert.deepEqual(history[0]?.task.attempt, 0)
        assert.ok(history.every(({ version }, at) => version === at + 1))
      },
    })
  })
})

test('every member that may change leads back to what it was, by its number', async () => {
  await using store = await openStore('memory:')
  const queue = new Queue(store)
  await queue.submit({ type: 't', id })
  const before = await queue.get(id)
  for (const [at, name] of changing.entries()) {
    const after = { ...before, [name]: 'another' }
    const trail = extended(newTrail, before, after)
    // The end of a lease alone is no version.
    assert.deepEqual(trail.changes, name === 'lease_expires_at' ? [] : [[at, before[name]]])
    const withAttempt = { ...after, attempt: 7 }
    const told = { task: withAttempt, trail: extended(newTrail, before, withAttempt) }
    assert.deepEqual(await statesOf([told], pagesIn(store, id)), [before, withAttempt])
  }
})

test('a document that is written again as it was makes no second state, whatever its output is', async () => {
  await using store = await openStore('memory:')
  const queue = new Queue(store)
  await queue.submit({ type: 't', id })
  const task = await queue.get(id)
  const output = () => ({ task: { ...task, output: { rows: [1, 2] } }, trail: newTrail })
  const states = await statesOf([{ task, trail: newTrail }, output(), output()], pagesIn(store, id))
  assert.deepEqual(
    states.map((state) => state.output),
    [null, { rows: [1, 2] }],
  )
})
