import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { type AnyHandler, Worker } from '../../src/queue/index.ts'
import { openStore, StoreError } from '../../src/store/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { altered } from '../store/altered.ts'
import { temporaryFolder } from '../store/ground.ts'
import { Bench, deferred, untilAborted } from './kit.ts'
import { assertLayout } from './layout.ts'

const monitor = { checkIntervalMs: 50 }

/** What handlers note: that an attempt starts, goes on, and ends. */
class Notes {
  readonly lines: string[] = []

  note(line: string): void {
    this.lines.push(line)
  }

  /** A handler that takes no notice of being aborted. */
  stubborn(ms: number): AnyHandler {
    return async (_, { attempt }) => {
      if (attempt > 1) return this.note(`start ${attempt}`)
      for (const until = performance.now() + ms; performance.now() < until; await sleep(10))
        this.note(`goes on ${attempt}`)
      this.note(`end ${attempt}`)
    }
  }

  /** Fails where two attempts ran at the same time. */
  assertNoOverlap(): void {
    const last = this.lines.findLastIndex((line) => /^(goes on|end) 1$/.test(line))
    const next = this.lines.indexOf('start 2')
    assert.ok(next === -1 || next > last, this.lines.slice(next).join())
  }
}

onEveryStore('stopping', { check: assertLayout }, (ground) => {
  test('a handler that ignores its abort keeps its task until it has ended, and stop() waits for it', async () => {
    await using bench = new Bench(ground.store)
    const notes = new Notes()
    const handlers = { t: notes.stubborn(3_000) }
    const { id } = await bench.queue.submit({ type: 't', timeoutMs: 600_000, maxRetries: 0 })
    const worker = await bench.worker({ leaseMs: 1_000, monitor: false, handlers })
    await bench.until(id, ({ status }) => status === 'running')
    await bench.worker({ monitor, handlers })
    await worker.stop({ deadlineMs: 100 })
    assert.ok(notes.lines.includes('end 1'))
    const task = await bench.queue.wait(id)
    notes.assertNoOverlap()
    assert.deepEqual([task.status, task.retry_count], ['completed', 0])
  })
})

/** A worker that runs a stubborn task; answers when that has begun. */
async function withStubborn(bench: Bench, notes: Notes, options: { url?: string } = {}) {
  const { id } = await bench.queue.submit({ type: 't', timeoutMs: 600_000, maxRetries: 0 })
  const events: string[] = []
  const worker = await bench.worker({
    ...options,
    handlers: { t: notes.stubborn(60_000) },
    onEvent: ({ type }) => events.push(type),
  })
  await bench.until(id, ({ status }) => status === 'running')
  return { id, worker, events }
}

/** Half of what a handler runs that ignores its abort: only who waits for that takes so long. */
const stopMsMax = 30_000

const stopped = async (worker: Worker): Promise<number> => {
  const startedAt = performance.now()
  await worker.stop({ deadlineMs: 100, beforeExit: true })
  return performance.now() - startedAt
}

describe('stopping before the process exits', () => {
  test('gives back what ignores its abort, last of all, without a charge', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const notes = new Notes()
    const { id, worker, events } = await withStubborn(bench, notes)
    const ms = await stopped(worker)
    assert.ok(ms < stopMsMax, `${ms} ms`)
    const { status, attempt, retry_count, lease_id } = await bench.queue.get(id)
    assert.deepEqual([status, attempt, retry_count, lease_id], ['pending', 1, 0, null])
    assert.deepEqual(events, ['started', 'requeued'])
    assert.equal(worker.runningCount, 1, 'its handler still runs')
    assert.deepEqual(await bench.queue.workers(), [])
  })

  test('no handler goes on once its task is given back, where a thread watches over leases', async () => {
    await using folder = await temporaryFolder()
    const url = `sqlite:${folder.path('queue.db')}`
    await using store = await openStore(url)
    await using bench = new Bench(store)
    const notes = new Notes()
    const { id, worker, events } = await withStubborn(bench, notes, { url })
    let isGivenBack = false
    const stopping = stopped(worker).then(() => {
      isGivenBack = true
      return notes.lines.length
    })
    // As soon as anybody can see that the task is pending, this thread stands still.
    const seen = (async () => {
      while ((await bench.queue.get(id)).status !== 'pending') await sleep(5)
      return isGivenBack
    })()
    assert.equal(await seen, true)
    await stopping
    assert.deepEqual(events, ['started', 'requeued'])
    assert.equal((await bench.queue.get(id)).retry_count, 0)
  })

  test('hands over by the thread alone, where no answer of the store comes through here', async () => {
    await using folder = await temporaryFolder()
    const url = `sqlite:${folder.path('queue.db')}`
    await using store = await openStore(url)
    await using bench = new Bench(store)
    let isDeaf = false
    const never = new Promise<never>(() => {})
    async function* heard<T>(items: () => AsyncIterable<T>): AsyncGenerator<T> {
      for await (const item of items()) yield isDeaf ? never : item
      if (isDeaf) await never
    }
    const deaf = altered(store, {
      now: async () => (isDeaf ? never : store.now()),
      get: async (key) => (isDeaf ? never : store.get(key)),
      commit: async (writes) => (isDeaf ? never : store.commit(writes)),
      list: (prefix, options) => heard(() => store.list(prefix, options)),
      scan: (prefix, options) => heard(() => store.scan(prefix, options)),
    })
    const { id } = await bench.queue.submit({ type: 't', timeoutMs: 600_000, maxRetries: 0 })
    const events: string[] = []
    const worker = new Worker(deaf, {
      url,
      leaseMs: 1_000,
      monitor,
      handlers: { t: new Notes().stubborn(60_000) },
      onEvent: ({ type }) => events.push(type),
    })
    await worker.start()
    await bench.until(id, ({ status }) => status === 'running')
    isDeaf = true
    // Looks at the index and renewals of the lease are under way by then.
    await sleep(1_500)
    const ms = await stopped(worker)
    assert.ok(ms < stopMsMax, `${ms} ms`)
    const { status, attempt, retry_count } = await bench.queue.get(id)
    assert.deepEqual([status, attempt, retry_count], ['pending', 1, 0])
    assert.deepEqual(events, ['started', 'requeued'])
    assert.deepEqual(await bench.queue.workers(), [])
  })

  test('lets handlers that heed their abort end by themselves, and completes what they finish', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const started = deferred()
    const worker = await bench.worker({
      handlers: {
        heeds: (_, { signal }) => untilAborted(signal),
        finishes: (_, { signal }) => {
          started.resolve()
          return untilAborted(signal).catch(() => sleep(200, 'done'))
        },
      },
    })
    const heeds = await bench.queue.submit({ type: 'heeds' })
    const finishes = await bench.queue.submit({ type: 'finishes' })
    await started.promise
    await bench.until(heeds.id, ({ status }) => status === 'running')
    await stopped(worker)
    assert.equal(worker.runningCount, 0)
    assert.equal((await bench.queue.get(finishes.id)).output, 'done')
    const { status, retry_count } = await bench.queue.get(heeds.id)
    assert.deepEqual([status, retry_count], ['pending', 0])
  })

  test('gives all back together, also what others have cancelled and what ignores that', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const notes = new Notes()
    const isAborted = deferred()
    const stubborn = notes.stubborn(60_000)
    const t: AnyHandler = (input, context) => {
      context.signal.addEventListener('abort', () => isAborted.resolve())
      return stubborn(input, context)
    }
    const worker = await bench.worker({ handlers: { t } })
    const [cancelled, other] = await bench.queue.submitMany([{ type: 't' }, { type: 't' }])
    for (const { id } of [cancelled!, other!])
      await bench.until(id, ({ status }) => status === 'running')
    await bench.queue.cancel(cancelled!.id)
    await isAborted.promise
    const ms = await stopped(worker)
    assert.ok(ms < stopMsMax, `${ms} ms`)
    const tasks = [await bench.queue.get(cancelled!.id), await bench.queue.get(other!.id)]
    assert.deepEqual(
      tasks.map(({ status }) => status),
      ['cancelled', 'pending'],
    )
  })

  test('says so where the store is away by then, and does not wait for it for long', async () => {
    const store = await openStore('memory:')
    let isAway = false
    const shaky = altered(store, {
      commit: async (writes) => {
        if (isAway) throw new StoreError('down', 'The store is away.', 'Wait.')
        return store.commit(writes)
      },
    })
    await using bench = new Bench(shaky)
    const { worker, events } = await withStubborn(bench, new Notes())
    isAway = true
    const ms = await stopped(worker)
    assert.ok(ms < stopMsMax, `${ms} ms`)
    assert.deepEqual(events, ['started', 'unreported'])
  })

  test('tells the end of a handler that ends last of all', async () => {
    await using store = await openStore('memory:')
    const [isRunning, isLeaving] = [deferred(), deferred()]
    let isEnding = false
    const slow = altered(store, {
      commit: async (writes) => {
        const isOf = (prefix: string) => writes.some(({ key }) => key.startsWith(prefix))
        if (isEnding && isOf('qo/workers/')) {
          isLeaving.resolve()
          await sleep(200)
        } else if (isEnding && isOf('qo/tasks/')) await sleep(600)
        return store.commit(writes)
      },
    })
    await using bench = new Bench(slow)
    const events: string[] = []
    const worker = await bench.worker({
      onEvent: ({ type }) => events.push(type),
      handlers: {
        t: () => {
          isRunning.resolve()
          return isLeaving.promise
        },
      },
    })
    await bench.queue.submit({ type: 't' })
    await isRunning.promise
    isEnding = true
    await worker.stop({ deadlineMs: 0, beforeExit: true })
    assert.deepEqual(events, ['started', 'completed'])
  })
})

describe('stopping with a handler that never ends', () => {
  test('waits for it no longer than its limit, and says that it still runs', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const started = deferred()
    const worker = await bench.worker({
      handlers: [
        {
          type: 't',
          endMs: 300,
          run: () => {
            started.resolve()
            return new Promise(() => {})
          },
        },
      ],
    })
    const { id } = await bench.queue.submit({ type: 't', timeoutMs: 2_000, maxRetries: 0 })
    await started.promise
    const startedAt = performance.now()
    await worker.stop({ deadlineMs: 0 })
    const ms = performance.now() - startedAt
    assert.ok(ms > 2_000 && ms < stopMsMax, `${ms} ms`)
    assert.match(bench.warnings.join(), /it still runs/)
    assert.match((await bench.queue.get(id)).last_error ?? '', /timed out after 2 s/)
  })
})
