import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { type Task, TaskManager } from '../../src/jobs/index.ts'
import { limited, type Store } from '../../src/store/index.ts'
import { copiesOf } from '../models/crashes.ts'
import { assertAsIfInTurn, type Named, type Operation } from '../models/pairs.ts'
import { isSoak } from '../size.ts'
import { bytes, TestClock } from './kit.ts'
import { assertLayout } from './layout.ts'

const ttlMs = 60_000
const clock = new TestClock()
const targets = ['pending', 'claimed', 'failed', 'completed'] as const
type Target = (typeof targets)[number]

const planted = copiesOf(async (store) => {
  const ownClock = new TestClock()
  // What is new comes after all that is planted, whose claim has expired.
  ownClock.ms -= 2 * ttlMs
  const own = new TaskManager(store, { now: ownClock.now })
  for (const id of targets) {
    await own.submit({ id, idempotencyKey: `key of ${id}`, payload: bytes(id), maxAttempts: 2 })
    ownClock.ms++
    if (id !== 'pending') await own.claim(id, 'worker-a')
  }
  await own.complete('completed', bytes('first'))
  await own.fail('failed', 'first')
  await own.claim('failed', 'worker-a')
  await own.fail('failed', 'last')
})

const managerOf = (store: Store) => new TaskManager(store, { now: clock.now, claimTtlMs: ttlMs })

const on =
  (operate: (manager: TaskManager) => Promise<unknown>): Operation =>
  async (store) => {
    const manager = managerOf(store)
    try {
      return await operate(manager)
    } finally {
      await manager.close()
    }
  }

/** What can be done to a task, by one of two workers. */
const verbs: Readonly<
  Record<string, (manager: TaskManager, id: Target, worker: string) => Promise<unknown>>
> = {
  claim: (manager, id, worker) => manager.claim(id, worker),
  complete: (manager, id, worker) => manager.complete(id, bytes(worker), { workerId: 'worker-a' }),
  'complete, whoever has it': (manager, id, worker) => manager.complete(id, bytes(worker)),
  fail: (manager, id, worker) => manager.fail(id, worker, { workerId: 'worker-a' }),
  retry: (manager, id) => manager.retry(id),
  'retry with one more attempt': (manager, id) => manager.retry(id, { attempts: 1 }),
  delete: (manager, id) => manager.delete(id),
  'submit its key': (manager, id, worker) =>
    manager.ensure({ payload: bytes(worker), idempotencyKey: `key of ${id}` }),
  'submit its id': (manager, id, worker) => manager.ensure({ payload: bytes(worker), id }),
  get: (manager, id) => manager.get(id),
  'get by its key': (manager, id) => manager.getByIdempotencyKey(`key of ${id}`),
}

/** What is done to whatever there is. */
const others: Readonly<Record<string, (manager: TaskManager, worker: string) => Promise<unknown>>> =
  {
    claimNext: (manager, worker) => manager.claimNext(worker),
    releaseStale: (manager) => manager.releaseStale(),
    'submit a new key': (manager, worker) =>
      manager.ensure({ payload: bytes(worker), idempotencyKey: 'new' }),
    'submit a new id and key': (manager, worker) =>
      manager.ensure({ payload: bytes(worker), id: 'id', idempotencyKey: 'new' }),
    'submit a new id': (manager, worker) => manager.ensure({ payload: bytes(worker), id: 'id' }),
    repair: (manager) => manager.repair().then(() => null),
  }

/** Who takes a key first says what id it stands for, and another may bring the task; other new ids say whose they are. */
const shownTask = ({ id, payload, claimToken, ...task }: Task): unknown => {
  const submitted = new TextDecoder().decode(payload)
  const isPlanted = targets.some((target) => target === id)
  const name = task.idempotencyKey === 'new' ? 'of the key' : isPlanted ? id : `by ${submitted}`
  return { ...task, id: name, submitted, isClaimed: claimToken !== null }
}

const isTask = (value: unknown): value is Task =>
  typeof value === 'object' && value !== null && 'payload' in value

const model = (writes: number) => ({
  prepare: async () => limited(await planted(), writes),
  wordsOf: async (told: unknown) =>
    JSON.stringify(told, (_, value) => (isTask(value) ? shownTask(value) : value)) ?? 'nothing',
  observe: async (store: Store) => {
    const manager = new TaskManager(store, { now: clock.now })
    if (writes === 1) await repaired(store)
    await assertLayout(store)
    const { tasks } = await manager.list()
    await manager.close()
    return tasks
      .map((task) => JSON.stringify(shownTask(task)))
      .sort()
      .join('\n')
  },
})

/** Where a commit is one write, an entry too many may stay; of those whose task is gone, for a while. */
async function repaired(store: Store): Promise<void> {
  const manager = new TaskManager(store)
  await manager.repair({ graceMs: 0 })
  await manager.close()
}

const verbsOn = (id: Target, worker: string): Named[] =>
  Object.entries(verbs).map(([name, verb]) => [
    `${name} (${id})`,
    on((manager) => verb(manager, id, worker)),
  ])

/** Where a repair waits for what may be on its way, it takes too long to be tried everywhere. */
const othersBy = (worker: string, writes: number): Named[] =>
  Object.entries(others)
    .filter(([name]) => name !== 'repair' || writes > 1 || isSoak)
    .map(([name, other]) => [name, on((manager) => other(manager, worker))])

for (const writes of isSoak ? [1, 2, 3, 1000] : [1, 1000])
  describe(`two who act at the same time are as one after the other, with ${writes} writes a commit`, () => {
    for (const id of targets)
      test(`on a ${id} task, whatever both do`, async () => {
        const [one, other] = [verbsOn(id, 'worker-a'), verbsOn(id, 'worker-b')]
        const all = [...other, ...othersBy('worker-b', writes)]
        assert.ok((await assertAsIfInTurn(model(writes), one, all)) > 100)
        assert.ok(
          (await assertAsIfInTurn(model(writes), othersBy('worker-a', writes), other)) > 100,
        )
      })

    test('on whatever there is', async () => {
      const [one, other] = [othersBy('worker-a', writes), othersBy('worker-b', writes)]
      assert.ok((await assertAsIfInTurn(model(writes), one, other)) > 100)
    })
  })
