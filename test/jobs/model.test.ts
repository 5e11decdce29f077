import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import {
  statuses,
  type Task,
  type TaskError,
  TaskManager,
  type TaskStatus,
} from '../../src/jobs/index.ts'
import { limited, openStore, type Store } from '../../src/store/index.ts'
import { sized } from '../size.ts'
import { bytes, TestClock } from './kit.ts'
import { assertLayout } from './layout.ts'

/** A task as the specification has it, in plain words. */
interface Expected {
  key: string | undefined
  status: TaskStatus
  attempts: number
  maxAttempts: number
  claimedBy: string | null
  claimedMs: number
  error: string | null
  result: string | null
}
interface Model {
  readonly tasks: Map<string, Expected>
  readonly clock: TestClock
}
type Command = fc.AsyncCommand<Model, TaskManager>

const ttlMs = 1_000

const command = (
  name: string,
  run: (model: Model, manager: TaskManager) => Promise<void>,
): Command => ({ check: () => true, run, toString: () => name })

/** Runs something for one of the tasks there are, by a number. */
const onTask = (
  name: string,
  run: (at: { id: string; task: Expected; model: Model; manager: TaskManager }) => Promise<void>,
) =>
  fc.nat().map((nth) =>
    command(`${name} ${nth}`, async (model, manager) => {
      const [id, task] = [...model.tasks][nth % Math.max(1, model.tasks.size)] ?? []
      if (id !== undefined && task) await run({ id, task, model, manager })
    }),
  )

/** The code of a refusal, or the task. */
const outcomeOf = (call: Promise<Task>): Promise<Task | string> =>
  call.catch((error: TaskError) => error.code ?? String(error))

const worker = fc.constantFrom('ann', 'bob')

const hasLeft = ({ attempts, maxAttempts }: Expected) => maxAttempts === 0 || attempts < maxAttempts

function release(task: Expected, error: string): void {
  task.status = hasLeft(task) ? 'pending' : 'failed'
  Object.assign(task, { claimedBy: null, error })
}

function begin(task: Expected, workerId: string, { ms }: TestClock): void {
  task.attempts++
  Object.assign(task, { status: 'claimed', claimedBy: workerId, claimedMs: ms })
}

function assertSame(found: Task, task: Expected): void {
  const { status, attempts, maxAttempts, claimedBy, error } = found
  assert.deepEqual(
    { status, attempts, maxAttempts, claimedBy, error },
    {
      status: task.status,
      attempts: task.attempts,
      maxAttempts: task.maxAttempts,
      claimedBy: task.claimedBy,
      error: task.error,
    },
  )
}

const submits = fc
  .tuple(fc.constantFrom('a', 'b', 'c', 'd', undefined), fc.nat(3))
  .map(([key, maxAttempts]) =>
    command(`submit ${key} ${maxAttempts}`, async (model, manager) => {
      const known = [...model.tasks].find(([, task]) => key !== undefined && task.key === key)
      const id = await manager.submit({ idempotencyKey: key, payload: bytes('x'), maxAttempts })
      if (known) assert.equal(id, known[0])
      else {
        assert.ok(!model.tasks.has(id))
        const empty = { claimedBy: null, claimedMs: 0, error: null, result: null }
        model.tasks.set(id, { key, status: 'pending', attempts: 0, maxAttempts, ...empty })
      }
    }),
  )

const claims = worker.chain((who) =>
  onTask(`claim by ${who}`, async ({ id, task, model, manager }) => {
    const outcome = await outcomeOf(manager.claim(id, who))
    if (task.status === 'pending') begin(task, who, model.clock)
    else if (task.status !== 'claimed')
      assert.equal(outcome, task.status === 'completed' ? 'TASK_COMPLETED' : 'TASK_FAILED')
    else if (task.claimedBy !== who) assert.equal(outcome, 'TASK_ALREADY_CLAIMED')
    if (typeof outcome === 'object') assertSame(outcome, task)
  }),
)

const claimNexts = worker.map((who) =>
  command(`claimNext by ${who}`, async (model, manager) => {
    const oldest = [...model.tasks].find(([, { status }]) => status === 'pending')
    const task = await manager.claimNext(who)
    assert.equal(task?.id, oldest?.[0])
    if (oldest && task) {
      begin(oldest[1], who, model.clock)
      assertSame(task, oldest[1])
    }
  }),
)

const endings = fc
  .tuple(fc.boolean(), fc.option(worker, { nil: undefined }), fc.boolean())
  .chain(([isGood, who, isLate]) =>
    onTask(`${isGood ? 'complete' : 'fail'} by ${who}`, async ({ id, task, manager }) => {
      const options = { workerId: who, attempt: isLate ? task.attempts - 1 : undefined }
      const word = `${task.attempts}`
      const outcome = await outcomeOf(
        isGood ? manager.complete(id, bytes(word), options) : manager.fail(id, word, options),
      )
      const isWrong = isLate || (who !== undefined && who !== task.claimedBy)
      if (task.status === 'pending') assert.equal(outcome, 'TASK_NOT_CLAIMED')
      else if (task.status === 'claimed' && isWrong) assert.equal(outcome, 'WRONG_WORKER')
      else if (task.status === 'claimed' && isGood)
        Object.assign(task, { status: 'completed', result: word, error: null })
      else if (task.status === 'claimed') release(task, word)
      else if (isGood !== (task.status === 'completed'))
        assert.equal(outcome, isGood ? 'TASK_FAILED' : 'TASK_COMPLETED')
      if (typeof outcome === 'object') assertSame(outcome, task)
    }),
  )

const retries = fc.nat(2).chain((more) =>
  onTask(`retry ${more}`, async ({ id, task, manager }) => {
    const outcome = await outcomeOf(manager.retry(id, { attempts: more }))
    const raised = { ...task, maxAttempts: task.maxAttempts && task.maxAttempts + more }
    if (task.status === 'completed') assert.equal(outcome, 'TASK_COMPLETED')
    else if (task.status !== 'pending' && !hasLeft(raised))
      assert.equal(outcome, 'MAX_ATTEMPTS_REACHED')
    else if (task.status !== 'pending')
      Object.assign(task, raised, { status: 'pending', claimedBy: null, error: null })
    if (typeof outcome === 'object') assertSame(outcome, task)
  }),
)

const deletions = onTask('delete', async ({ id, task, model, manager }) => {
  const isTerminal = task.status === 'completed' || task.status === 'failed'
  const outcome = await manager.delete(id).catch((error: TaskError) => error.code)
  assert.equal(outcome, isTerminal ? undefined : 'TASK_NOT_TERMINAL')
  if (isTerminal) model.tasks.delete(id)
})

const releases = fc.integer({ min: 1, max: 700 }).map((ms) =>
  command(`releaseStale after ${ms} ms`, async (model, manager) => {
    model.clock.ms += ms
    const expired = [...model.tasks.values()].filter(
      ({ status, claimedMs }) => status === 'claimed' && model.clock.ms - claimedMs >= ttlMs,
    )
    assert.equal(await manager.releaseStale(), expired.length)
    for (const task of expired)
      release(task, `The claim of worker ${task.claimedBy} expired after ${ttlMs} ms.`)
  }),
)

const lists = fc
  .tuple(fc.constantFrom(undefined, ...statuses), fc.integer({ min: 1, max: 4 }))
  .map(([status, limit]) =>
    command(`list ${status} ${limit}`, async (model, manager) => {
      const found: Task[] = []
      let cursor: string | null = null
      do {
        const page: Awaited<ReturnType<TaskManager['list']>> = await manager.list(status, {
          limit,
          cursor,
        })
        assert.ok(page.cursor === null || page.tasks.length === limit)
        found.push(...page.tasks)
        cursor = page.cursor
      } while (cursor !== null)
      const expected = [...model.tasks].filter(([, task]) => !status || task.status === status)
      assert.deepEqual(
        found.map(({ id }) => id),
        expected.map(([id]) => id),
      )
      for (const task of found) assertSame(task, model.tasks.get(task.id) as Expected)
    }),
  )

const commands = [
  submits,
  claims,
  claimNexts,
  endings,
  endings,
  retries,
  deletions,
  releases,
  lists,
]

const kinds: Readonly<Record<string, () => Promise<Store>>> = {
  memory: () => openStore('memory:'),
  'limited(memory, 1)': async () => limited(await openStore('memory:'), 1),
  'limited(memory, 3)': async () => limited(await openStore('memory:'), 3),
}

describe('a manager behaves as a plain map of tasks does', () => {
  for (const [kind, open] of Object.entries(kinds))
    test(`on ${kind}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(commands, { maxCommands: 80, size: 'max' }), async (all) => {
          await using store = await open()
          const clock = new TestClock()
          // Its own looks for expired claims are hours apart.
          await using manager = new TaskManager(store, { now: clock.now, claimTtlMs: ttlMs })
          await fc.asyncModelRun(() => ({ model: { tasks: new Map(), clock }, real: manager }), all)
          await assertLayout(store)
        }),
        { numRuns: sized(40, 80) },
      )
    })
})
