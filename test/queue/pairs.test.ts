import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Monitor, Queue, type Task } from '../../src/queue/index.ts'
import { Repository } from '../../src/queue/repository.ts'
import type { Command } from '../../src/queue/step.ts'
import { limited, type Store } from '../../src/store/index.ts'
import { copiesOf } from '../models/crashes.ts'
import { assertAsIfInTurn, type Named, type Operation } from '../models/pairs.ts'
import { isSoak } from '../size.ts'
import { soon } from './kit.ts'
import { assertLayout, assertNoneMissing } from './layout.ts'

const ids = {
  pending: '00000000-0000-4000-8000-000000000000',
  running: '10000000-0000-4000-8000-000000000000',
  failed: '20000000-0000-4000-8000-000000000000',
  completed: '30000000-0000-4000-8000-000000000000',
  cancelled: '40000000-0000-4000-8000-000000000000',
  archived: '50000000-0000-4000-8000-000000000000',
} as const
type Target = keyof typeof ids
const targets = Object.keys(ids) as Target[]
const own = '60000000-0000-4000-8000-000000000000'

const leaseOf = (worker: string): string =>
  `${worker.charCodeAt(0)}111111-1111-4111-8111-111111111111`
const startMs = Date.parse('2026-01-02T03:04:05.678Z')
/** The leases of what is planted have expired. */
const nowMs = startMs + 3_600_000
const now = () => nowMs

const planted = copiesOf(async (store) => {
  const queue = new Queue(store, { now: () => startMs })
  const repository = new Repository(store, () => {})
  for (const [name, id] of Object.entries(ids))
    await queue.submit({ type: 't', id, input: name, idempotencyKey: name, retryPolicy: soon })
  const leaseId = leaseOf('a')
  for (const id of [ids.running, ids.failed, ids.completed, ids.archived])
    await repository.change(id, ['claim', { workerId: 'a', leaseId, nowMs: startMs }])
  const finishing = { leaseId, nowMs: startMs }
  const failure = { ...finishing, error: 'no', isPermanent: true, random: 0 }
  await repository.change(ids.failed, ['fail', failure])
  for (const id of [ids.completed, ids.archived])
    await repository.change(id, ['complete', { ...finishing, output: 'first' }])
  await queue.cancel(ids.cancelled)
  await queue.archive(ids.archived)
})

const onQueue =
  (operate: (queue: Queue) => Promise<unknown>): Operation =>
  async (store) => {
    const queue = new Queue(store, { now })
    try {
      return await operate(queue)
    } finally {
      await queue.close()
    }
  }

const changing =
  (id: string, command: Command): Operation =>
  async (store) =>
    (await new Repository(store, () => {}).change(id, command)).after

/** What can be done to a task, by one of two workers. */
const verbs: Readonly<Record<string, (target: Target, worker: string) => Operation>> = {
  claim: (target, worker) =>
    changing(ids[target], ['claim', { workerId: worker, leaseId: leaseOf(worker), nowMs }]),
  'complete by its worker': (target, worker) =>
    changing(ids[target], ['complete', { leaseId: leaseOf('a'), nowMs, output: worker }]),
  'fail by its worker': (target, worker) =>
    changing(ids[target], ['fail', { leaseId: leaseOf('a'), nowMs, error: worker, random: 0 }]),
  'requeue by its worker': (target) =>
    changing(ids[target], ['requeue', { leaseId: leaseOf('a'), nowMs }]),
  renew: (target) =>
    changing(ids[target], ['renew', { leaseId: leaseOf('a'), untilMs: nowMs + 600_000 }]),
  extend: (target) => onQueue((queue) => queue.extend(ids[target], 7_200_000)),
  cancel: (target) => onQueue((queue) => queue.cancel(ids[target])),
  replay: (target) => onQueue((queue) => queue.replay(ids[target])),
  archive: (target) => onQueue((queue) => queue.archive(ids[target])),
  unarchive: (target) => onQueue((queue) => queue.unarchive(ids[target])),
  'submit its key': (target, worker) =>
    onQueue((queue) => queue.submit({ type: 't', input: worker, idempotencyKey: target })),
  'submit its id': (target, worker) =>
    onQueue((queue) => queue.submit({ type: 't', input: worker, id: ids[target] })),
  get: (target) => onQueue((queue) => queue.get(ids[target])),
}

/** What is done to whatever there is. */
const others: Readonly<Record<string, (worker: string) => Operation>> = {
  'the monitor': () => async (store) => (await new Monitor(store, { now }).check()).expired,
  'submit a new key': (worker) =>
    onQueue((queue) => queue.submit({ type: 't', input: worker, idempotencyKey: 'new' })),
  'submit a new id': (worker) =>
    onQueue((queue) => queue.submit({ type: 't', input: worker, id: own })),
  'submit a new id and key': (worker) =>
    onQueue((queue) => queue.submit({ type: 't', input: worker, id: own, idempotencyKey: 'new' })),
  'submit a new task': (worker) => onQueue((queue) => queue.submit({ type: 't', input: worker })),
  'submit several': (worker) =>
    onQueue((queue) =>
      queue.submitMany(['1', '2'].map((nth) => ({ type: 't', input: worker + nth }))),
    ),
  repair: () => onQueue((queue) => queue.repair().then(() => null)),
}

const isKnown = (id: string): boolean => Object.values<string>(ids).includes(id)

const model = (writes: number) => ({
  prepare: async () => limited(await planted(), writes),
  /** An id that was made here is random: what was submitted says which it is. */
  wordsOf: async (told: unknown, store: Store) => {
    const text = JSON.stringify(told) ?? 'nothing'
    const tasks = await new Repository(store, () => {}).tasks.values()
    return tasks.reduce((words, { task }) => words.replaceAll(task.id, nameOf(task)), text)
  },
  observe: async (store: Store) => {
    // Where a commit is one write an entry too many may stay.
    await (writes === 1 ? assertNoneMissing(store) : assertLayout(store))
    const tasks = await new Repository(store, () => {}).tasks.values()
    return tasks
      .map(({ task, trail }) => JSON.stringify([{ ...task, id: nameOf(task), shard: '' }, trail]))
      .sort()
      .join('\n')
  },
})

/** Who takes a key first says what id it stands for, and another may bring the task. */
function nameOf({ id, idempotency_key, input }: Task): string {
  if (isKnown(id)) return id
  return idempotency_key === null ? `by ${input}` : `of ${idempotency_key}`
}

const verbsOn = (target: Target, worker: string): Named[] =>
  Object.entries(verbs).map(([name, verb]) => [`${name} (${target})`, verb(target, worker)])

/** Where a repair waits for what may be on its way, it takes too long to be tried everywhere. */
const othersBy = (worker: string, writes: number): Named[] =>
  Object.entries(others)
    .filter(([name]) => name !== 'repair' || writes > 1 || isSoak)
    .map(([name, other]) => [name, other(worker)])

for (const writes of isSoak ? [1, 2, 3, 1000] : [1, 1000])
  describe(`two who act on a queue at the same time are as one after the other, with ${writes} writes a commit`, () => {
    for (const target of targets)
      test(`on a ${target} task, whatever both do`, async () => {
        const [one, other] = [verbsOn(target, 'a'), verbsOn(target, 'b')]
        const all = [...other, ...othersBy('b', writes)]
        assert.ok((await assertAsIfInTurn(model(writes), one, all)) > 100)
        if (isSoak || target === 'pending' || target === 'running')
          assert.ok((await assertAsIfInTurn(model(writes), othersBy('a', writes), other)) > 100)
      })

    test('on whatever there is', async () => {
      const [one, other] = [othersBy('a', writes), othersBy('b', writes)]
      assert.ok((await assertAsIfInTurn(model(writes), one, other)) > 50)
    })
  })
