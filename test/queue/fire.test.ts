import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { Queue, type Submitted, type Task } from '../../src/queue/index.ts'
import { openStore, type Store, StoreError } from '../../src/store/index.ts'
import { Child } from '../child.ts'
import { type RecordedStore, recorded } from '../record.ts'
import { startNats } from '../servers/nats.ts'
import { sharedMinio } from '../servers/shared.ts'
import { sized } from '../size.ts'
import { temporaryFolder } from '../store/ground.ts'
import { patiently, s3Bucket } from '../store/s3/ground.ts'
import { assertLayout } from './layout.ts'

const processes = sized(3, 8, 4)
const tasks = sized(40, 5_000, 800)
/** There a task is dozens of requests; these are enough for one of each kind. */
const tasksOnS3 = sized(40, 5_000, 300)
/** It ends by itself before its test would, and says what is left. */
const msMax = sized(14, 50) * 60_000
const testMsMax = msMax + 120_000
const tasksAtOnce = 250

/** How each task misbehaves: one in so many; of few tasks more, so that each kind is met. */
const kinds: readonly (readonly [kind: string, oneIn: number])[] = [
  ['blocks', 250],
  ['kills', sized(25, 120, 25)],
  ['slow', sized(30, 60)],
  ['hopeless', sized(20, 40)],
  ['fails', sized(9, 10)],
]
const kindOf = (at: number): string => kinds.find(([, oneIn]) => at % oneIn === 7)?.[0] ?? 'fine'

interface Run {
  readonly from: number
  to: number
}

/** Processes that are started anew when they are killed, and what they noted. */
class Fleet implements AsyncDisposable {
  readonly #url: string
  readonly #path: (name: string) => string
  readonly #children = new Map<number, Child>()
  readonly #runs = new Map<string, Run[]>()
  readonly #files: string[] = []
  #isEnding = false
  deaths = 0

  constructor(url: string, path: (name: string) => string) {
    this.#url = url
    this.#path = path
  }

  async start(at: number): Promise<void> {
    const file = this.#path(`${this.#files.length}.log`)
    this.#files.push(file)
    const child = new Child('queue-worker', [this.#url, `worker ${this.#files.length}`, file])
    this.#children.set(at, child)
    child.process.once('exit', () => {
      this.#read(file, performance.timeOrigin + performance.now())
      if (this.#isEnding) return
      this.deaths++
      void this.start(at).catch(() => {})
    })
    await child.message()
  }

  /** Attempts at each task, by when they ran. One that was killed ended when its process did. */
  get runs(): ReadonlyMap<string, readonly Run[]> {
    return this.#runs
  }

  async stop(): Promise<void> {
    this.#isEnding = true
    await Promise.all(
      [...this.#children.values()].map(async (child) => {
        const gone = once(child.process, 'exit')
        child.send('stop')
        await gone
      }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true
    for (const child of this.#children.values()) await child[Symbol.asyncDispose]()
  }

  #read(file: string, endedAt: number): void {
    const open = new Map<string, Run>()
    for (const line of readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n')) {
      const [what, id, attempt, time] = line.split(' ')
      if (!id) continue
      const key = `${id} ${attempt}`
      if (what === 'start') {
        assert.ok(!open.has(key), `${key} was started twice`)
        const run = { from: Number(time), to: endedAt }
        open.set(key, run)
        this.#runs.set(id, [...(this.#runs.get(id) ?? []), run])
      } else (open.get(key) as Run).to = Number(time)
    }
  }
}

/** On a machine with too much to do a server may be silent for seconds, and answers are lost. */
async function persistently<T>(call: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await call()
    } catch (error) {
      const isPassing = error instanceof StoreError && /unavailable|unknown/.test(error.code)
      if (!isPassing) throw error
      await sleep(1_000)
    }
}

const countBelow = (store: Store, prefix: string): Promise<number> =>
  persistently(async () => {
    let count = 0
    for await (const _ of store.list(prefix)) count++
    return count
  })

/** What is left in the indexes when nearly all is done; a killed process may leave some entries there for a while. */
const fewEntries = 100

/** All tasks, once none is pending or running. */
async function allEnded(store: Store, ids: readonly string[]): Promise<Task[]> {
  const queue = new Queue(store)
  const ended = new Map<string, Task>()
  const until = performance.now() + msMax
  while (ended.size < ids.length) {
    await sleep(2_000)
    const [ready, leases] = [
      await countBelow(store, 'qo/ready'),
      await countBelow(store, 'qo/leases'),
    ]
    const isLate = performance.now() > until
    assert.ok(!isLate, `${ready} are ready, ${leases} leased, ${ids.length - ended.size} not known`)
    if (ready + leases > fewEntries) continue
    for (const id of ids.filter((each) => !ended.has(each))) {
      const task = await persistently(() => queue.get(id))
      if (task.status === 'completed' || task.status === 'failed') ended.set(id, task)
    }
  }
  return ids.map((id) => ended.get(id) as Task)
}

function ranTwiceAtOnce(runs: readonly Run[]): boolean {
  const inTurn = runs.toSorted((a, b) => a.from - b.from)
  return inTurn.some(({ from }, nth) => nth > 0 && from < (inTurn[nth - 1] as Run).to)
}

const twiceAtOnce = ({ id, input }: Task, runs: readonly Run[]): string =>
  `${id} (${input}) ran twice at once: ${runs.map(({ from, to }) => `${from} to ${to}`).join(', ')}`

async function soak(name: RecordedStore, url: string, tasks: number): Promise<void> {
  const record = recorded({
    what: 'queue: handlers fail, time out, block, kill their worker',
    store: name,
    promises: ['durable', 'one holder', 'exact', 'history'],
  })
  await using folder = await temporaryFolder()
  await using store = await openStore(url)
  const queue = new Queue(store)
  const submissions = Array.from({ length: tasks }, (_, at) => ({
    type: 'soak',
    input: kindOf(at),
    // So that whoever is not told what became of it can do it again.
    idempotencyKey: `soak ${at}`,
    timeoutMs: kindOf(at) === 'slow' ? 2_000 : 60_000,
    maxRetries: 8,
    retryPolicy: { initial_interval_ms: 100, max_interval_ms: 1_000 },
  }))
  const submitted: Submitted[] = []
  for (let at = 0; at < tasks; at += tasksAtOnce) {
    const some = submissions.slice(at, at + tasksAtOnce)
    submitted.push(...(await persistently(() => queue.submitMany(some))))
  }
  const startedAt = performance.now()
  await using fleet = new Fleet(url, (name) => folder.path(name))
  await Promise.all(Array.from({ length: processes }, (_, at) => fleet.start(at)))
  const ended = await allEnded(
    store,
    submitted.map(({ id }) => id),
  )
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  await fleet.stop()
  record({
    faults: fleet.deaths,
    operations: ended.length + ended.reduce((sum, { attempt }) => sum + attempt, 0),
    doubles: ended.filter(({ id }) => ranTwiceAtOnce(fleet.runs.get(id) ?? [])).length,
  })
  let attempts = 0
  for (const [at, task] of ended.entries()) {
    const isHopeless = kindOf(at) === 'hopeless'
    assert.equal(task.status, isHopeless ? 'failed' : 'completed')
    // Every attempt but the last was charged: failed, timed out, or expired with its process.
    assert.equal(task.attempt, task.retry_count + 1, JSON.stringify(task))
    attempts += task.attempt
    const runs = fleet.runs.get(task.id) ?? []
    assert.ok(runs.length >= 1 && runs.length <= task.attempt, `${runs.length} runs`)
    assert.ok(!ranTwiceAtOnce(runs), twiceAtOnce(task, runs))
  }
  const sample = ended.find(({ input }) => input === 'fails') as Task
  const versions = (await queue.history(sample.id)).map(({ task }) => task.status)
  assert.equal(versions.filter((status) => status === 'running').length, sample.attempt)
  await persistently(() => queue.repair({ graceMs: 0 }))
  await assertLayout(store)
  process.stdout.write(
    `${tasks} tasks by ${processes} processes: ${attempts} attempts in ${seconds} s, ${fleet.deaths} processes killed\n`,
  )
}

describe('under fire: handlers fail, time out, kill their process and block the event loop', () => {
  test(
    'on NATS: every task ends, none runs twice at once, attempts are exact',
    async () => {
      await using server = await startNats()
      await soak('NATS', server.url, tasks)
    },
    testMsMax,
  )

  test(
    'on S3: every task ends, none runs twice at once, attempts are exact',
    async () => {
      const { url } = await s3Bucket(sharedMinio())
      await soak('MinIO', url('fire', { more: patiently }), tasksOnS3)
    },
    testMsMax,
  )
})
