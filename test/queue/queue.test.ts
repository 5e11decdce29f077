import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import {
  CorruptTaskError,
  InvalidTaskError,
  Queue,
  TaskExistsError,
  TaskNotFoundError,
  TransitionError,
} from '../../src/queue/index.ts'
import { counted } from '../../src/store/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { Hand } from './hand.ts'
import { Bench, soon } from './kit.ts'
import { assertLayout, storedTask } from './layout.ts'

onEveryStore('queue', { check: assertLayout }, (ground) => {
  test('submit creates a pending task with the fields and defaults of the specification', async () => {
    const { id, isNew } = await new Queue(ground.store).submit({
      type: 'email',
      input: { to: 'x' },
    })
    assert.equal(isNew, true)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const stored = await storedTask(ground.store, id)
    const time = stored['created_at'] as string
    assert.deepEqual(stored, {
      id,
      task_type: 'email',
      shard: id.charAt(0),
      status: 'pending',
      available_at: time,
      lease_expires_at: null,
      input: { to: 'x' },
      output: null,
      timeout_seconds: 300,
      max_retries: 3,
      retry_count: 0,
      retry_policy: {
        initial_interval_ms: 1000,
        max_interval_ms: 60_000,
        multiplier: 2,
        jitter_percent: 0.25,
      },
      created_at: time,
      updated_at: time,
      completed_at: null,
      worker_id: null,
      lease_id: null,
      attempt: 0,
      last_error: null,
      idempotency_key: null,
      cancel_requested: false,
      archived_from: null,
      input_ref: null,
      output_ref: null,
    })
    const idMs = Number.parseInt(id.replaceAll('-', '').slice(1, 12), 16)
    assert.equal(idMs, Date.parse(time))
  })

  test('ensure gives the task that is stored, large or small, and reads nothing where it is new', async () => {
    const store = counted(ground.store)
    const queue = new Queue(store)
    const large = 'x'.repeat(100_000)
    for (const input of [{ to: 'x' }, large, -0, { at: new Date(0), left: undefined }])
      for (const full of [true, false]) {
        store.reset()
        const { task, isNew } = await queue.ensure({ type: 'email', input }, { full })
        assert.deepEqual([isNew, store.counts.get], [true, 0])
        assert.deepEqual(task, await queue.get(task.id, { full }))
      }
    for (const full of [true, false]) {
      const given = { type: 'email', input: large, idempotencyKey: 'once' }
      const { task, isNew } = await queue.ensure(given, { full })
      assert.equal(isNew, full)
      assert.deepEqual(task, await queue.get(task.id, { full }))
    }
  })

  test('many go in at once, each with its own id, and an id that is taken is refused before any is written', async () => {
    const queue = new Queue(ground.store)
    const submitted = await queue.submitMany(
      Array.from({ length: 40 }, (_, at) => ({ type: 'email', input: at })),
    )
    assert.equal(new Set(submitted.map(({ id }) => id)).size, 40)
    const { tasks } = await queue.list({ limit: 1000 })
    assert.deepEqual(
      tasks.map(({ input }) => input as number).sort((a, b) => a - b),
      [...Array(40).keys()],
    )
    const [taken] = submitted
    const again = [{ type: 'a' }, { type: 'b', id: taken?.id as string }]
    await assert.rejects(queue.submitMany(again), TaskExistsError)
    assert.equal((await queue.list({ limit: 1000 })).tasks.length, 40)
  })

  test('each task is stored with its own policy, whatever callers do to those that they were shown', async () => {
    const queue = new Queue(ground.store)
    const submitted = (initial_interval_ms: number) =>
      queue.submit({ type: 'x', retryPolicy: { initial_interval_ms } })
    const { id } = await submitted(5)
    await submitted(6)
    // The answer holds the task as it was just written.
    const { task } = await queue.cancel(id)
    Object.assign(task.retry_policy, { initial_interval_ms: 7 })
    const later = await submitted(7)
    assert.equal((await queue.get(later.id)).retry_policy.initial_interval_ms, 7)
    assert.equal((await queue.get(id)).retry_policy.initial_interval_ms, 5)
  })

  test('an id of the caller is kept, and refused when it is taken', async () => {
    const queue = new Queue(ground.store)
    const id = 'F47AC10B-58CC-4372-A567-0E02B2C3D479'
    assert.equal((await queue.submit({ type: 'email', id })).id, id.toLowerCase())
    await assert.rejects(queue.submit({ type: 'other', id }), TaskExistsError)
    assert.equal((await queue.get(id)).task_type, 'email')
  })

  test('the same key is the same task, whatever else is submitted', async () => {
    const queue = new Queue(ground.store)
    const first = await queue.submit({ type: 'email', input: 1, idempotencyKey: 'order/1 %' })
    const second = await queue.submit({ type: 'other', input: 2, idempotencyKey: 'order/1 %' })
    assert.deepEqual([second.id, second.isNew], [first.id, false])
    const task = await queue.get(first.id)
    assert.deepEqual([task.input, task.idempotency_key], [1, 'order/1 %'])
    const long = 'x'.repeat(4096)
    const [a, b] = await queue.submitMany([
      { type: 'email', idempotencyKey: long },
      { type: 'email', idempotencyKey: long },
    ])
    assert.equal(a?.id, b?.id)
  })

  test('a key that a crash left without its task is completed by the next submit, under the same id', async () => {
    const bench = new Bench(ground.store)
    const id = '7019a8c3-1f20-8b1e-9d3c-5a6f00112233'
    await bench.put('qo_own/idem/lost', id)
    assert.deepEqual(await bench.queue.submit({ type: 'email', idempotencyKey: 'lost' }), {
      id,
      isNew: true,
    })
    assert.equal((await bench.queue.get(id)).idempotency_key, 'lost')
  })

  test('a given id that is taken frees the key again', async () => {
    const queue = new Queue(ground.store)
    const { id } = await queue.submit({ type: 'email' })
    await assert.rejects(queue.submit({ type: 'email', id, idempotencyKey: 'k' }), TaskExistsError)
    const { isNew } = await queue.submit({ type: 'email', idempotencyKey: 'k' })
    assert.equal(isNew, true)
  })

  test('large inputs lie beside the task, byte for byte, and are shown in full when asked for', async () => {
    const queue = new Queue(ground.store)
    const input = 'ü'.repeat(60_000)
    const { id } = await queue.submit({ type: 'email', input })
    const task = await queue.get(id)
    const path = `data/${id.charAt(0)}/${id}/input.json`
    assert.deepEqual([task.input, task.input_ref], [null, path])
    const entry = await ground.store.get(`qo/${path}`)
    assert.equal(new TextDecoder().decode(entry?.value), JSON.stringify(input))
    assert.equal((await queue.get(id, { full: true })).input, input)
    await assert.rejects(
      queue.submit({ type: 'email', input: 'x'.repeat(999_999) }),
      InvalidTaskError,
    )
    const largest = await queue.submit({ type: 'email', input: 'x'.repeat(999_998) })
    assert.equal((await queue.get(largest.id, { full: true })).input, 'x'.repeat(999_998))
  })

  test('a cancelled task can be archived, unarchived and replayed, and then runs', async () => {
    await using bench = new Bench(ground.store)
    const { queue } = bench
    const { id } = await queue.submit({ type: 't', idempotencyKey: 'order-7' })
    await queue.cancel(id)
    const { task: archived } = await queue.archive(id)
    assert.deepEqual([archived.status, archived.archived_from], ['archived', 'cancelled'])
    assert.equal((await queue.get(id)).archived_from, 'cancelled')
    const { task: back } = await queue.unarchive(id)
    assert.deepEqual([back.status, back.archived_from], ['cancelled', null])
    assert.deepEqual(await queue.submit({ type: 't', idempotencyKey: 'order-7' }), {
      id,
      isNew: false,
    })
    assert.equal((await queue.replay(id)).task.status, 'pending')
    await bench.worker({ handlers: { t: () => 'done' }, idleMsMax: 50 })
    assert.equal((await queue.wait(id)).output, 'done')
    assert.deepEqual(
      (await queue.history(id)).map(({ task }) => task.status),
      ['pending', 'cancelled', 'archived', 'cancelled', 'pending', 'running', 'completed'],
    )
  })

  test('steering: replay, archive, unarchive and cancel say whether anything changed', async () => {
    const queue = new Queue(ground.store)
    const hand = new Hand(ground.store)
    const { id } = await queue.submit({ type: 'email' })
    await assert.rejects(queue.replay(id), TransitionError)
    await hand.claim(id)
    await hand.fail(id)
    assert.equal((await queue.archive(id)).task.archived_from, 'failed')
    assert.equal((await queue.archive(id)).isChanged, false)
    assert.equal((await queue.unarchive(id)).task.status, 'failed')
    await assert.rejects(queue.unarchive(id), TransitionError)
    const { task } = await queue.replay(id)
    assert.deepEqual([task.status, task.retry_count, task.attempt], ['pending', 0, 1])
    assert.equal((await queue.cancel(id)).task.status, 'cancelled')
    assert.equal((await queue.cancel(id)).isChanged, false)
    await assert.rejects(queue.unarchive(id), TransitionError)
  })

  test('a running task is asked to stop, and its lease can be extended', async () => {
    const queue = new Queue(ground.store)
    const { id } = await queue.submit({ type: 'email', timeoutMs: 60_000 })
    const { lease_expires_at } = await new Hand(ground.store).claim(id)
    const extended = await queue.extend(id, 90_000)
    const more =
      Date.parse(extended.task.lease_expires_at as string) - Date.parse(lease_expires_at as string)
    assert.equal(more, 90_000)
    const { task, isChanged } = await queue.cancel(id)
    assert.deepEqual([task.status, task.cancel_requested, isChanged], ['running', true, true])
  })

  test('version history is correctly recorded, a full audit trail: every state, oldest first, and no mere renewals', async () => {
    const queue = new Queue(ground.store)
    const hand = new Hand(ground.store)
    const { id } = await queue.submit({ type: 'email', input: 'x' })
    await hand.claim(id)
    await queue.extend(id, 60_000)
    await queue.extend(id, 60_000)
    await hand.complete(id, 'done')
    await queue.archive(id)
    const history = await queue.history(id)
    assert.deepEqual(
      history.map(({ version, task }) => [version, task.status, task.attempt, task.output]),
      [
        [1, 'pending', 0, null],
        [2, 'running', 1, null],
        [3, 'completed', 1, 'done'],
        [4, 'archived', 1, 'done'],
      ],
    )
    for (const { at, task } of history) {
      assert.equal(at, task.updated_at)
      assert.equal(task.input, 'x')
    }
    assert.deepEqual(history.at(-1)?.task, await queue.get(id))
    await assert.rejects(queue.history('f47ac10b-58cc-4372-a567-0e02b2c3d479'), TaskNotFoundError)
  })

  test('a corrupt task is named, passed over in lists, and never changed', async () => {
    const bench = new Bench(ground.store)
    const id = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
    await bench.put(`qo/tasks/f/${id}.json`, '{"id":"f47ac10b"}')
    await bench.queue.submit({ type: 'email' })
    assert.equal((await bench.queue.list()).tasks.length, 1)
    assert.match(bench.warnings.join(), /f47ac10b-58cc.* is corrupt/)
    await assert.rejects(bench.queue.get(id), CorruptTaskError)
    await assert.rejects(bench.queue.cancel(id), CorruptTaskError)
    await assert.rejects(bench.queue.submit({ type: 'email', id }), TaskExistsError)
    assert.equal(await bench.queue.resolve('f47a'), id)
    const entry = await ground.store.get(`qo/tasks/f/${id}.json`)
    const [write] = entry
      ? [{ type: 'remove' as const, key: entry.key, revision: entry.revision }]
      : []
    if (write) await ground.store.commit([write])
    await bench.queue.repair({ graceMs: 0 })
  })

  test('wait gives the task as soon as it has ended', async () => {
    const queue = new Queue(ground.store)
    const hand = new Hand(ground.store)
    const { id } = await queue.submit({ type: 'email', retryPolicy: soon })
    const waiting = queue.wait(id)
    await hand.claim(id)
    await hand.complete(id, 'yes')
    assert.equal((await waiting).output, 'yes')
    const aborted = queue.wait((await queue.submit({ type: 'email' })).id, {
      signal: AbortSignal.timeout(50),
    })
    await expect(aborted).rejects.toThrow()
    await queue.close()
  })
})
