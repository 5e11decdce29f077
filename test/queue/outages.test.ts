import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { Queue } from '../../src/queue/index.ts'
import { limited, openStore, type Store, StoreError } from '../../src/store/index.ts'
import { eventually } from '../eventually.ts'
import { altered } from '../store/altered.ts'
import { Bench, deferred } from './kit.ts'
import { assertLayout } from './layout.ts'

/** A store that can be away, or lose answers. */
class Shaky {
  isAway = false
  lossRate = 0
  readonly store: Store

  constructor(store: Store) {
    const check = () => {
      if (this.isAway) throw new StoreError('down', 'The store is away.', 'Wait.')
    }
    this.store = altered(store, {
      get: async (key) => {
        check()
        return store.get(key)
      },
      list: (prefix, options) => this.#each(check, () => store.list(prefix, options)),
      scan: (prefix, options) => this.#each(check, () => store.scan(prefix, options)),
      commit: async (writes) => {
        check()
        const isLost = Math.random() < this.lossRate
        // Half of what is lost never got there.
        if (isLost && Math.random() < 0.5) throw lostAnswer()
        const result = await store.commit(writes)
        if (isLost) throw lostAnswer()
        return result
      },
      watch: (prefix, signal) => this.#each(check, () => store.watch(prefix, signal)),
    })
  }

  async *#each<T>(check: () => void, start: () => AsyncIterable<T>): AsyncGenerator<T> {
    check()
    for await (const item of start()) {
      yield item
      check()
    }
  }
}

const lostAnswer = () => new StoreError('lost_answer', 'The answer was lost.', 'Look.')

const stores: Readonly<Record<string, () => Promise<Store>>> = {
  memory: () => openStore('memory:'),
  'limited(memory, 1)': async () => limited(await openStore('memory:'), 1),
}

for (const [name, open] of Object.entries(stores))
  describe(`outages on ${name}`, () => {
    test('a store that goes away for a while: the worker goes on by itself, and tells of it once', async () => {
      const store = await open()
      const shaky = new Shaky(store)
      await using bench = new Bench(shaky.store)
      const queue = new Queue(store)
      const started: string[] = []
      const [isStarted, end] = [deferred(), deferred()]
      await bench.worker({
        handlers: {
          t: async (_: unknown, { task }: { task: { id: string } }) => {
            started.push(task.id)
            isStarted.resolve()
            await end.promise
            return 'done'
          },
        },
      })
      const before = await queue.submit({ type: 't' })
      await isStarted.promise
      shaky.isAway = true
      end.resolve()
      const told = () => bench.warnings.filter((warning) => /can't be used for now/.test(warning))
      await eventually(() => assert.ok(told().length > 0))
      const during = await queue.submit({ type: 't' })
      // Long enough to be told again and again, if it were.
      await sleep(800)
      shaky.isAway = false
      for (const { id } of [before, during]) {
        const task = await queue.wait(id)
        assert.deepEqual([task.status, task.attempt, task.retry_count], ['completed', 1, 0])
      }
      assert.deepEqual(started, [before.id, during.id])
      assert.equal(told().length, 1, bench.warnings.join('\n'))
      await queue.close()
    })

    test('lost answers: every task is run once, completed once, and charged nothing', async () => {
      const store = await open()
      const shaky = new Shaky(store)
      await using bench = new Bench(shaky.store)
      const queue = new Queue(store)
      const submitted = await queue.submitMany(Array.from({ length: 150 }, () => ({ type: 't' })))
      const runs = new Map<string, number>()
      shaky.lossRate = 0.2
      await bench.worker({
        concurrency: 20,
        handlers: {
          t: (_: unknown, { task }: { task: { id: string } }) => {
            runs.set(task.id, (runs.get(task.id) ?? 0) + 1)
          },
        },
      })
      for (const { id } of submitted) {
        const task = await queue.wait(id)
        assert.deepEqual([task.status, task.attempt, runs.get(id)], ['completed', 1, 1])
      }
      shaky.lossRate = 0
      await bench.stop()
      await queue.repair({ graceMs: 0 })
      await assertLayout(store)
      await queue.close()
    })
  })
