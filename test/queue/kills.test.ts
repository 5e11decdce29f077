import assert from 'node:assert/strict'
import { Queue, type Task, Worker } from '../../src/queue/index.ts'
import type { Store } from '../../src/store/index.ts'
import type { Step } from '../doomed.ts'
import { killRounds } from '../models/kills.ts'
import {
  counted,
  createdVerdict,
  isTakenOver,
  stallsIn,
  stepsBy,
  together,
  toldTimes,
  type Verdict,
} from '../models/verdict.ts'
import { assertLayout, assertNoneMissing } from './layout.ts'

const pageSize = 1_000
const histories = 100

async function allTasks(queue: Queue): Promise<Map<string, Task>> {
  const tasks = new Map<string, Task>()
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<Queue['list']>> = await queue.list({
      limit: pageSize,
      cursor,
    } as never)
    for (const task of page.tasks) tasks.set(task.id, task)
    cursor = page.cursor
  } while (cursor !== null)
  return tasks
}

/** What was submitted is there, and what a worker says it completed is completed. */
function submittedVerdict(tasks: ReadonlyMap<string, Task>, steps: readonly Step[]): Verdict {
  const completions = steps.filter(({ what, status }) => what === 'end' && status === 'completed')
  const lost = completions
    .filter(({ id }) => tasks.get(id as string)?.status !== 'completed')
    .map(({ id }) => `${id} was completed, and is ${tasks.get(id as string)?.status}`)
  return together(
    { lost, doubles: [], wrong: [] },
    createdVerdict(
      steps.filter(({ what }) => what === 'submit'),
      counted([...tasks.values()].map(({ input }) => String(input))),
    ),
  )
}

/** No attempt ran twice, no two attempts at the same time, and each ran that the task counts, but for those nobody got. */
function runsVerdict(tasks: ReadonlyMap<string, Task>, steps: readonly Step[]): Verdict {
  const runs = steps.filter(({ what }) => what === 'run')
  const stalls = stallsIn(steps)
  const attempts = counted(runs.map(({ id, attempt }) => `${id} attempt ${attempt}`))
  const doubles = [...attempts].filter(([, count]) => count > 1).map(([attempt]) => attempt)
  const wrong: string[] = []
  for (const [id, own] of stepsBy(runs, (step) => step.id)) {
    const inTurn = own.toSorted((a, b) => a.from - b.from)
    for (const [at, run] of inTurn.entries())
      if (at > 0 && !isTakenOver(inTurn[at - 1] as Step, run, stalls))
        doubles.push(`${id} ran twice at once: ${toldTimes(inTurn, stalls)}`)
    const { attempt = 0, retry_count = 0 } = tasks.get(id) ?? {}
    if (own.some((run) => (run.attempt ?? 0) > attempt)) wrong.push(`${id} has ${attempt} attempts`)
    if (attempt !== retry_count + 1)
      wrong.push(`${id}: ${attempt} attempts, ${retry_count} retries`)
  }
  return { lost: [], doubles, wrong }
}

/** Works on what is left until there is nothing, as a worker does that comes after all others have died. */
async function workOff(store: Store, url: string): Promise<Step[]> {
  const queue = new Queue(store)
  const runs: Step[] = []
  const now = () => performance.timeOrigin + performance.now()
  const worker = new Worker(store, {
    id: 'last',
    url,
    leaseMs: 2_000,
    idleMsMax: 100,
    monitor: { checkIntervalMs: 500 },
    handlers: {
      t: (_: unknown, { task: { id }, attempt }) => {
        const run = { what: 'run', by: 'last', id, attempt, from: now(), to: now() }
        runs.push({ ...run, outcome: 'done' })
      },
    },
  })
  await worker.start()
  for (const id of (await allTasks(queue)).keys()) await queue.wait(id)
  await worker.stop()
  await queue.close()
  return runs
}

async function finish(store: Store, steps: readonly Step[], url: string): Promise<Verdict> {
  await assertNoneMissing(store)
  const queue = new Queue(store)
  const all = [...steps, ...(await workOff(store, url))]
  const tasks = await allTasks(queue)
  for (const { status } of tasks.values()) assert.equal(status, 'completed')
  for (const { id, attempt } of [...tasks.values()].slice(0, histories)) {
    const states = (await queue.history(id)).map(({ task }) => task.status)
    assert.equal(states.filter((status) => status === 'running').length, attempt)
  }
  await queue.repair({ graceMs: 0 })
  await assertLayout(store)
  return together(submittedVerdict(tasks, all), runsVerdict(tasks, all))
}

killRounds({
  model: 'queue',
  promises: ['durable', 'one holder', 'exact', 'honest', 'history'],
  program: 'doomed-queue',
  check: async (store, steps) => submittedVerdict(await allTasks(new Queue(store)), steps),
  finish,
})
