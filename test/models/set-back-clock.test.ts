import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, test } from 'vitest'
import { TaskManager } from '../../src/jobs/index.ts'
import { TaskList } from '../../src/list/index.ts'
import { Plans } from '../../src/plan/index.ts'
import { Queue, Worker } from '../../src/queue/index.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { eventually } from '../eventually.ts'

interface Made {
  readonly id: string
  /** Every time that what was made has by then. */
  readonly times: readonly string[]
}

/** Makes one thing after the other; `warn` is told what an operator would be. */
type Maker = (store: Store, warn: (line: string) => void) => () => Promise<Made>

let directories = 0

const makers: Record<string, Maker> = {
  queue: (store, onWarning) => {
    const queue = new Queue(store, { onWarning })
    return async () => {
      const { id } = await queue.submit({ type: 'any', input: 1 })
      const { created_at, available_at, updated_at } = await queue.get(id)
      // The first digit of an id is its shard.
      return { id: id.slice(1), times: [created_at, available_at, updated_at] }
    }
  },
  jobs: (store, onWarning) => {
    const jobs = new TaskManager(store, { onWarning })
    return async () => {
      const id = await jobs.submit({ payload: new Uint8Array([1]) })
      const { createdAt } = await jobs.get(id)
      return { id, times: [createdAt.toISOString()] }
    }
  },
  tree: (store, onWarning) => {
    const tree = new TaskTree(store, { onWarning })
    return async () => {
      const { id, created_at, updated_at } = await tree.create({ title: 'any' })
      return { id, times: [created_at, updated_at] }
    }
  },
  list: (store, onWarning) => {
    const list = new TaskList(store, { onWarning })
    return async () => {
      const { created } = await list.add('any')
      return { id: created, times: [created] }
    }
  },
  plan: (store, onWarning) => {
    const plans = new Plans(store, { onWarning })
    return async () => {
      const { session } = await plans.start(`/nowhere/${directories++}`)
      return { id: session.sid, times: [session.created_at, session.last_updated_at] }
    }
  },
}

const minuteMs = 60_000
const yearMs = 365 * 24 * 60 * minuteMs
/** A clock is looked at once in 5 ms. */
const lookMs = 10

describe('a clock that was ahead and has been corrected', () => {
  const realNow = Date.now
  let offsetMs = 0
  const useClock = () => {
    offsetMs = 0
    Date.now = () => realNow() + offsetMs
  }
  const set = async (ms: number) => {
    offsetMs = ms
    await sleep(lookMs)
  }
  afterEach(() => {
    Date.now = realNow
  })

  for (const [model, maker] of Object.entries(makers)) {
    for (const aheadMs of [minuteMs, 60 * minuteMs, yearMs])
      test(`does not date what the ${model} makes, ${aheadMs / minuteMs} minutes`, async () => {
        useClock()
        await using store = await openStore('memory:')
        const lines: string[] = []
        const make = maker(store, (line) => lines.push(line))
        const before = await make()
        await set(aheadMs)
        await make()
        assert.deepEqual(lines, [])
        const sinceMs = realNow()
        await set(0)
        const after = [await make(), await make()]
        for (const { times } of after)
          for (const time of times) {
            const ms = Date.parse(time)
            assert.ok(ms >= sinceMs && ms <= realNow() + 10, `${time} is no time of now`)
          }
        const ids = [before, ...after].map(({ id }) => id)
        assert.deepEqual(ids, ids.toSorted())
        assert.equal(lines.length, 1)
        assert.match(
          lines[0] ?? '',
          /^The clock was set back by \d+ (?:seconds|minutes|hours|days)\./,
        )
        await set(0)
        await make()
        assert.equal(lines.length, 1)
        // Another time is told of again.
        await set(aheadMs)
        await make()
        await set(0)
        await make()
        assert.equal(lines.length, 2)
      })

    test(`keeps the order of the ${model} where it goes back a little`, async () => {
      useClock()
      await using store = await openStore('memory:')
      const lines: string[] = []
      const make = maker(store, (line) => lines.push(line))
      const ids: string[] = []
      for (const ms of [0, -1_000, -2_000, 500, -3_000]) {
        await set(ms)
        ids.push((await make()).id)
      }
      assert.deepEqual(ids, ids.toSorted())
      assert.deepEqual(lines, [])
    })
  }

  test('is told of once by all models of a store', async () => {
    useClock()
    await using store = await openStore('memory:')
    const lines: string[] = []
    const making = Object.values(makers).map((maker) => maker(store, (line) => lines.push(line)))
    for (const ms of [0, 60 * minuteMs, 0]) {
      await set(ms)
      for (const make of making) await make()
    }
    assert.equal(lines.length, 1)
  })

  test('keeps no task from a worker that was there all the time', async () => {
    useClock()
    await using store = await openStore('memory:')
    const queue = new Queue(store)
    const done: unknown[] = []
    const handlers = { any: (input: unknown) => done.push(input) }
    await using worker = new Worker(store, { handlers })
    await worker.start()
    await queue.submit({ type: 'any', input: 'before' })
    await eventually(() => assert.deepEqual(done, ['before']))
    await set(60 * minuteMs)
    await queue.submit({ type: 'any', input: 'ahead' })
    await eventually(() => assert.deepEqual(done, ['before', 'ahead']))
    await set(0)
    await queue.submit({ type: 'any', input: 'after' })
    await eventually(() => assert.deepEqual(done, ['before', 'ahead', 'after']))
  })
})
