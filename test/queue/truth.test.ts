import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import {
  type Json,
  PermanentError,
  Queue,
  type Task,
  type WorkerEvent,
} from '../../src/queue/index.ts'
import { Repository } from '../../src/queue/repository.ts'
import { limited, openStore, type Store, StoreError } from '../../src/store/index.ts'
import { eventually } from '../eventually.ts'
import { altered } from '../store/altered.ts'
import { Bench, deferred, soon, untilAborted } from './kit.ts'
import { assertLayout } from './layout.ts'

const stores: Readonly<Record<string, () => Promise<Store>>> = {
  memory: () => openStore('memory:'),
  'limited(memory, 1)': async () => limited(await openStore('memory:'), 1),
}

const lostAnswer = () => new StoreError('lost_answer', 'The answer was lost.', 'Look.')
const isAway = () => new StoreError('down', 'The store is away.', 'Wait.')

/** What happens to the commit by which an attempt is reported. */
const fates = ['an answer', 'a lost answer', 'loss on its way', 'a store that is away'] as const
type Fate = (typeof fates)[number]

const hourMs = 3_600_000

/** What others do to the task before the worker hears of its report. */
const others = {
  'nobody acts': async () => {},
  'a monitor expires the lease': async (store: Store, id: string) => {
    const nowMs = (await store.now()) + hourMs
    await new Repository(store, () => {}).change(id, ['expire', { nowMs, random: 0 }])
  },
  'it is cancelled, and its lease expires': async (store: Store, id: string) => {
    const nowMs = await store.now()
    const repository = new Repository(store, () => {})
    await repository.change(id, ['cancel', { nowMs }]).catch(() => {})
    await repository.change(id, ['expire', { nowMs: nowMs + hourMs, random: 0 }])
  },
  'it goes on: another claims it, or archives it': async (store: Store, id: string) => {
    const nowMs = (await store.now()) + hourMs
    const repository = new Repository(store, () => {})
    await repository.change(id, ['expire', { nowMs, random: 0 }])
    const { status } = await repository.get(id)
    const claim = { workerId: 'other', leaseId: '2'.repeat(8), nowMs: nowMs + hourMs }
    if (status === 'pending') await repository.change(id, ['claim', claim])
    else await repository.change(id, ['archive', { nowMs }])
  },
} as const
type Other = keyof typeof others

/** What a handler does. */
const handlers: Readonly<Record<string, () => unknown>> = {
  completes: () => 'output',
  'completes with a large output': () => 'x'.repeat(100_000),
  fails: () => {
    throw new Error('not today')
  },
  'fails for good': () => {
    throw new PermanentError('never')
  },
}

/** The first report on a task meets its fate, and others act, before the worker hears of it. */
function meddled(store: Store, fate: Fate, other: Other): Store {
  let isMet = false
  return altered(store, {
    commit: async (writes) => {
      const write = writes.find(({ key }) => key.startsWith('qo/tasks/'))
      const bytes = write?.type === 'update' ? write.value : null
      const task = bytes && (JSON.parse(Buffer.from(bytes).toString()) as Task)
      if (isMet || !task || task.attempt === 0 || task.status === 'running')
        return store.commit(writes)
      isMet = true
      const hasArrived = fate === 'an answer' || fate === 'a lost answer'
      const result = hasArrived ? await store.commit(writes) : null
      await others[other](store, task.id)
      if (fate === 'a store that is away') throw isAway()
      if (result === null || fate === 'a lost answer') throw lostAnswer()
      return result
    },
  })
}

const wordOf: Readonly<Record<string, string>> = {
  completed: 'completed',
  pending: 'retried',
  failed: 'failed',
}

/** What the history says of how the first attempt ended, in the word of an event. */
async function truth(queue: Queue, id: string): Promise<string> {
  const versions = (await queue.history(id)).map(({ task }) => task)
  const end = versions.find(({ attempt, status }) => attempt === 1 && status !== 'running')
  const isExpired = end === undefined || /^The lease of worker/.test(end.last_error ?? '')
  return isExpired ? 'lost' : (wordOf[end.status] as string)
}

const counterOf: Readonly<Record<string, string>> = {
  completed: 'tasks_completed',
  retried: 'tasks_retried',
  failed: 'tasks_failed',
  cancelled: 'tasks_cancelled',
  requeued: 'tasks_requeued',
  lost: 'leases_lost',
}

for (const [name, open] of Object.entries(stores))
  describe(`events and counters on ${name}`, () => {
    const cases = Object.keys(handlers).flatMap((handler) =>
      fates.flatMap((fate) =>
        (Object.keys(others) as Other[]).map((other) => [handler, fate, other] as const),
      ),
    )
    test.each(cases)(
      'say what became of a task whose handler %s, whose report meets with %s, and %s',
      async (handler, fate, other) => {
        const store = await open()
        await using bench = new Bench(meddled(store, fate, other))
        const queue = new Queue(store)
        const events: WorkerEvent[] = []
        const type = { type: 't', maxRetries: 1, retryPolicy: { initial_interval_ms: hourMs } }
        const { id } = await queue.submit(type)
        const worker = await bench.worker({
          handlers: { t: handlers[handler] as () => unknown },
          onEvent: (event) => events.push(event),
        })
        await eventually(() => assert.ok(events.length >= 2, JSON.stringify(events)))
        const [started, ended] = events
        assert.deepEqual([started?.type, ended?.type], ['started', await truth(queue, id)])
        for (const [word, counter] of Object.entries(counterOf)) {
          const count = word === ended?.type ? 1 : 0
          const line = new RegExp(`holdfast_queue_${counter}_total(\\{type="t"\\})? (\\d+)`)
          assert.equal(line.exec(worker.renderMetrics())?.[2], String(count), counter)
        }
        const isWarned = bench.warnings.some((warning) => /is lost/.test(warning))
        assert.equal(isWarned, ended?.type === 'lost', bench.warnings.join())
        if (ended?.type === 'completed') assert.equal(ended.task.status, 'completed')
        await queue.close()
        await bench.stop()
        assert.equal(events.length, 2, JSON.stringify(events))
      },
    )
  })

const idOf = (key: string): string => key.slice('qo/tasks/0/'.length, -'.json'.length)

describe('an end that could not be reported', () => {
  test('because the store stays away when the worker stops is told as that, and counted', async () => {
    const store = await openStore('memory:')
    let isGone = false
    const shaky = altered(store, {
      commit: async (writes) => {
        if (isGone) throw isAway()
        return store.commit(writes)
      },
    })
    await using bench = new Bench(shaky)
    const events: string[] = []
    const [started, end] = [deferred(), deferred()]
    const worker = await bench.worker({
      onEvent: ({ type }) => events.push(type),
      handlers: {
        t: () => {
          started.resolve()
          return end.promise
        },
      },
    })
    await bench.queue.submit({ type: 't' })
    await started.promise
    isGone = true
    end.resolve()
    await worker.stop({ deadlineMs: 0 })
    // Who has stopped has told all: there is no more to come.
    assert.deepEqual(events, ['started', 'unreported'])
    assert.match(worker.renderMetrics(), /holdfast_queue_reports_failed_total\{type="t"\} 1/)
    assert.match(worker.renderMetrics(), /holdfast_queue_tasks_completed_total 0/)
    assert.match(bench.warnings.join(), /could not be reported/)
  })
})

describe('an attempt that ends while somebody looks whether it is lost', () => {
  test('is told of once, and the worker has stopped only after that look', async () => {
    const store = await openStore('memory:')
    const [isLooking, isOver] = [deferred(), deferred()]
    let isRunning = false
    const slow = altered(store, {
      get: async (key) => {
        if (!isRunning || !key.startsWith('qo/tasks/')) return store.get(key)
        isLooking.resolve()
        await isOver.promise
        return store.get(key)
      },
    })
    await using bench = new Bench(store)
    const events: string[] = []
    const options = {
      onEvent: ({ type }: WorkerEvent) => events.push(type),
      handlers: {
        t: (_: unknown, { signal }: { signal: AbortSignal }) => {
          isRunning = true
          return untilAborted(signal)
        },
      },
    }
    const worker = await bench.worker(options, slow)
    const { id } = await bench.queue.submit({ type: 't' })
    await isLooking.promise
    let hasStopped = false
    const stopped = worker.stop({ deadlineMs: 0 }).then(() => {
      hasStopped = true
    })
    await bench.until(id, ({ status }) => status === 'pending')
    // No event tells that it goes on waiting.
    await sleep(300)
    assert.equal(hasStopped, false)
    isOver.resolve()
    await stopped
    assert.deepEqual(events, ['started', 'requeued'])
    assert.equal(worker.metrics.total('leases_lost'), 0)
    await store[Symbol.asyncDispose]()
  })
})

describe('many tasks, lost answers, and others who expire and cancel', () => {
  for (const [name, open] of Object.entries(stores))
    test(`each end that is told is one that the history has, on ${name}`, async () => {
      const store = await open()
      const repository = new Repository(store, () => {})
      /** As a monitor would, had the lease expired. */
      const expire = async (id: string) => {
        const { lease_id, status } = await repository.get(id)
        if (status !== 'running') return
        const command = { leaseId: lease_id as string, nowMs: await store.now(), random: 0 }
        await repository.change(id, [
          'fail',
          { ...command, error: 'The lease of a worker expired.' },
        ])
      }
      const shaky = altered(store, {
        commit: async (writes) => {
          const luck = Math.random()
          const key = writes.find((write) => write.key.startsWith('qo/tasks/'))?.key
          const id = key === undefined ? null : idOf(key)
          const result = luck < 0.15 ? null : await store.commit(writes)
          if (id !== null && luck < 0.3 && Math.random() < 0.5) await expire(id).catch(() => {})
          if (result === null || luck < 0.3) throw lostAnswer()
          return result
        },
      })
      await using bench = new Bench(shaky)
      const queue = new Queue(store)
      const submissions = Array.from({ length: 60 }, (_, at) => ({
        type: 't',
        input: at,
        retryPolicy: soon,
        maxRetries: 100,
      }))
      const submitted = await queue.submitMany(submissions)
      const told = new Map<string, string[]>()
      const worker = await bench.worker({
        concurrency: 10,
        handlers: {
          t: async (_: Json, { attempt }) => {
            await sleep(Math.random() * 10)
            if (attempt === 1 && Math.random() < 0.3) throw new Error('again')
            return attempt
          },
        },
        onEvent: ({ type, task }) => {
          if (type === 'started') return
          const key = `${task.id} ${type}`
          told.set(key, [...(told.get(key) ?? []), type])
        },
      })
      for (const { id } of submitted) await queue.wait(id)
      await worker.stop()
      for (const { id } of submitted) {
        const states = (await queue.history(id)).map(({ task }) => task)
        const isOurs = ({ last_error }: Task) => !/^The lease of/.test(last_error ?? '')
        const ends = states.filter(
          (state, at) =>
            at > 0 && states[at - 1]?.status === 'running' && state.status !== 'running',
        )
        const completed = ends.filter(({ status }) => status === 'completed').length
        const retried = ends.filter((state) => state.status === 'pending' && isOurs(state)).length
        assert.equal(told.get(`${id} completed`)?.length ?? 0, completed, id)
        assert.equal(told.get(`${id} retried`)?.length ?? 0, retried, id)
      }
      await queue.repair({ graceMs: 0 })
      await assertLayout(store)
      await queue.close()
    })
})
