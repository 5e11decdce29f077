import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { TaskManager } from '../../src/jobs/index.ts'
import { openStore } from '../../src/store/index.ts'
import { Child } from '../child.ts'
import { type RecordedStore, recorded } from '../record.ts'
import { startNats } from '../servers/nats.ts'
import { sharedMinio } from '../servers/shared.ts'
import { sized } from '../size.ts'
import { temporaryFolder } from '../store/ground.ts'
import { patiently, s3Bucket } from '../store/s3/ground.ts'
import { bytes } from './kit.ts'
import { allTasks, assertLayout } from './layout.ts'

const processes = sized(4, 16, 8)
const keys = sized(24, 1_000, 400)
const keysOnS3 = sized(8, 1_000, 100)

/** Starts one that dies having written so many keys, or lives where that is 0. */
type Start = (death: number) => Promise<Child>

/** Who begins does so with all others; who comes later, in place of one that died, at once. */
function starting(url: string, keys: number): Start {
  const waiting: (() => void)[] = []
  let isBegun = false
  return async (death) => {
    const child = new Child('jobs-submitter', [url, String(keys), String(death)])
    assert.equal(await child.message(), 'here')
    if (!isBegun) {
      const begun = new Promise<void>((resolve) => waiting.push(resolve))
      if (waiting.length === processes) {
        isBegun = true
        for (const begin of waiting) begin()
      }
      await begun
    }
    child.send('go')
    return child
  }
}

/** One of them: where it dies another takes its place, so that in the end each has got all its answers. */
async function submitter(start: Start, death: number): Promise<[string, string][]> {
  for (let deaths = death; ; deaths = 0) {
    await using child = await start(deaths)
    try {
      return Object.entries(await child.message<{ [key: string]: string }>())
    } catch (error) {
      if (child.process.signalCode !== 'SIGKILL') throw error
    }
  }
}

/** Every caller got the same id for a key, and there is one task for each. */
async function submitTogether(name: RecordedStore, url: string, keys: number): Promise<void> {
  const record = recorded({
    what: 'jobs: all submit the same keys, half of them killed',
    store: name,
    promises: ['durable', 'exact'],
  })
  // Half of them die, having written the entry of their first, second, … key.
  const start = starting(url, keys)
  const answers = await Promise.all(
    Array.from({ length: processes }, (_, at) => submitter(start, at % 2 === 0 ? 1 + at / 2 : 0)),
  )
  await using store = await openStore(url)
  const tasks = await allTasks(store)
  const idOf = new Map(tasks.map(({ id, idempotencyKey }) => [idempotencyKey, id]))
  const told = answers.flat()
  record({
    faults: processes / 2,
    operations: told.length,
    lost: told.filter(([key, id]) => idOf.get(key) !== id).length,
    doubles: tasks.length - idOf.size,
  })
  assert.equal(tasks.length, keys)
  assert.equal(idOf.size, keys)
  for (const answer of answers) {
    assert.equal(answer.length, keys)
    for (const [key, id] of answer) assert.equal(id, idOf.get(key), key)
  }
  if (store.limits.commitWritesMax === 1) await new TaskManager(store).repair({ graceMs: 0 })
  await assertLayout(store)
}

const inNewFile = async (run: (url: string) => Promise<void>): Promise<void> => {
  await using folder = await temporaryFolder()
  await run(`sqlite:${folder.path('tasks.db')}`)
}

const onNewNats = async (run: (url: string) => Promise<void>): Promise<void> => {
  await using server = await startNats()
  await run(server.url)
}

const inNewBucket = async (run: (url: string) => Promise<void>): Promise<void> => {
  const { url } = await s3Bucket(sharedMinio())
  await run(url('fire', { more: patiently }))
}

describe(`idempotency under fire: ${processes} processes submit the same keys, 4 times each, and half of them are killed`, () => {
  test(`${keys} keys on SQLite`, () => inNewFile((url) => submitTogether('SQLite', url, keys)))
  test(`${keys} keys on NATS`, () => onNewNats((url) => submitTogether('NATS', url, keys)))
  test(`${keysOnS3} keys on S3`, () => inNewBucket((url) => submitTogether('MinIO', url, keysOnS3)))
})

const tasksToDo = sized(40, 2_000, 1_000)
/** How many tasks a worker has in hand at once. */
const lanes = 4

/** Each task is claimed once per attempt, attempts are exact, and none is lost. */
async function workTogether(name: RecordedStore, url: string): Promise<void> {
  const record = recorded({
    what: 'jobs: workers race for the same tasks',
    store: name,
    promises: ['one holder', 'exact'],
  })
  await using store = await openStore(url)
  const manager = new TaskManager(store)
  const ids = await manager.submitMany(
    Array.from({ length: tasksToDo }, (_, at) => ({ payload: bytes(String(at)), maxAttempts: 2 })),
  )
  const workers = Array.from(
    { length: processes },
    (_, at) => new Child('jobs-worker', [url, `worker ${at}`, String(lanes)]),
  )
  try {
    for (const worker of workers) assert.equal(await worker.message(), 'ready')
    for (const worker of workers) worker.send('go')
    const claims = (
      await Promise.all(workers.map((worker) => worker.message<[string, number][]>()))
    ).flat()
    const distinct = new Set(claims.map(([id, attempt]) => `${id} ${attempt}`))
    record({ faults: 0, operations: claims.length, doubles: claims.length - distinct.size })
    const hard = new Set(ids.filter((_, at) => at % 10 === 0))
    const expected = ids.flatMap((id) => (hard.has(id) ? [`${id} 1`, `${id} 2`] : [`${id} 1`]))
    assert.deepEqual(claims.map(([id, attempt]) => `${id} ${attempt}`).sort(), expected.sort())
    const tasks = await allTasks(store)
    assert.equal(tasks.length, tasksToDo)
    for (const { id, status, attempts } of tasks)
      assert.deepEqual([status, attempts], ['completed', hard.has(id) ? 2 : 1])
    await assertLayout(store)
  } finally {
    for (const worker of workers) await worker[Symbol.asyncDispose]()
  }
}

describe(`exclusive claims: ${processes} workers race for ${tasksToDo} tasks, each claimed once per attempt, none lost`, () => {
  test('on SQLite', () => inNewFile((url) => workTogether('SQLite', url)))
  test('on NATS', () => onNewNats((url) => workTogether('NATS', url)))
})
