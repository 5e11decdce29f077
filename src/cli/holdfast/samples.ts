import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdsNothing } from '../../inventory/index.ts'
import { TaskManager } from '../../jobs/internal.ts'
import { TaskList } from '../../list/internal.ts'
import { Plans } from '../../plan/internal.ts'
import {
  type Handler,
  PermanentError,
  Queue,
  type Submission,
  Worker,
  type WorkerEvent,
} from '../../queue/internal.ts'
import { type Store, shownUrl } from '../../store/internal.ts'
import { TaskTree } from '../../tree/internal.ts'
import { packageFolder } from '../package.ts'
import type { Context } from '../program/context.ts'
import { shellWord } from '../program/text.ts'

/** What there is to know of a store that was begun with samples, or was not. */
interface SampledStore {
  readonly store: string
  /** Whether they were put into it just now. */
  readonly samples: boolean
  /** Commands to try. */
  readonly try: readonly string[]
}

/**
 * Something to look at for who starts it the first time. Only a store that holds nothing gets samples: plans and tasks
 * of the queue are never deleted, so none gets them twice.
 */
export async function beginWithSamples(context: Context, store: Store): Promise<SampledStore> {
  const isEmpty = await holdsNothing(store)
  if (isEmpty) await fillWithSamples(store, context.io.cwd())
  const { url } = await context.storeChoice()
  return { store: shownUrl(url), samples: isEmpty, try: await commandsToTry(context) }
}

export const sampleLines = ({ store, samples, try: commands }: SampledStore): string[] => [
  `Everything is in ${store}${samples ? ', with a few samples of everything' : ''}.`,
  '',
  'To try in another terminal, in this directory, while you look at the page:',
  ...commands.map((command) => `  ${command}`),
  '',
  'Ctrl-C ends it; what is in the store stays.',
]

/** Each works on this store from this directory, whatever is in it, and changes what the page shows. */
async function commandsToTry(context: Context): Promise<string[]> {
  const setting = await context.setting('store')
  // Files and defaults hold for the next program, too; what has a password is not printed.
  const isTold = setting?.source === 'flag' || setting?.source === 'environment'
  const { url, workspace } = await context.storeChoice()
  // The programs that are named below know nothing of workspaces.
  const isNeeded = isTold || workspace !== null
  const option = isNeeded && url === shownUrl(url) ? ` --store ${shellWord(url)}` : ''
  const program = (name: string) => `${isCheckout(context) ? 'bin/' : ''}${name}`
  return [
    `${program('ut')} add "Water the plants" -t home${option}`,
    `${program('np')} l${option}`,
    `${program('qo')} submit -t sample.greet -i '{"name": "Ada"}'${option}`,
  ]
}

/** Whether it was started in the folder of the package itself, whose programs are on nobody's path. */
const isCheckout = ({ io }: Context): boolean => resolve(packageFolder()) === resolve(io.cwd())

/** Who has done what is done already. */
const sampleAgent = 'sample-agent'

/** A few samples of every model, in as many states as a look at the page should show. */
async function fillWithSamples(store: Store, directory: string): Promise<void> {
  await fillList(store)
  await fillPlan(store, directory)
  await fillJobs(store)
  await fillTree(store)
  await fillQueue(store)
}

async function fillList(store: Store): Promise<void> {
  const list = new TaskList(store)
  await list.add('Buy milk', ['errand', 'shopping'])
  await list.add('Send the invoice', ['work', 'urgent'])
  const { id } = await list.add('Call home', ['family'])
  await list.update(id, { done: true })
}

/** The plan of the directory that the server is started in, so that `np` finds it there. */
async function fillPlan(store: Store, directory: string): Promise<void> {
  const plans = new Plans(store)
  const logged = { cmd: 'holdfast serve --samples' }
  const { session } = await plans.start(directory)
  const goal = { title: 'Get to know Holdfast', description: 'Until all models have been seen.' }
  await plans.setGoal(session.sid, goal, logged)
  const titles = ['Start it', 'Look at the page', 'Add a task from a terminal']
  await plans.addTasks(
    session.sid,
    titles.map((title) => ({ title })),
    logged,
  )
  const { tasks } = await plans.plan(session.sid)
  const statuses = ['completed', 'in_progress']
  const changes = tasks.slice(0, 2).map(({ id }, at) => ({ id, status: statuses[at] }))
  await plans.updateTasks(session.sid, changes, logged)
}

async function fillJobs(store: Store): Promise<void> {
  await using jobs = new TaskManager(store)
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
  const order = (nth: number) => ({
    idempotencyKey: `sample-order-${nth}`,
    payload: bytes({ order: nth }),
    maxAttempts: 1,
  })
  const [shipped = '', lost = ''] = await jobs.submitMany([order(1), order(2), order(3)])
  await jobs.claim(shipped, sampleAgent)
  await jobs.complete(shipped, bytes({ shipped: true }))
  await jobs.claim(lost, sampleAgent)
  await jobs.fail(lost, new Error('There is no such address.'))
}

async function fillTree(store: Store): Promise<void> {
  const tree = new TaskTree(store)
  const { id: parent_id } = await tree.create({ title: 'Release 1.0', type: 'epic', priority: 1 })
  const part = async (title: string, tags: string[]) =>
    (await tree.create({ title, parent_id, tags })).id
  const written = await part('Write the changelog', ['docs'])
  const tagged = await part('Tag the release', ['git'])
  await part('Announce it', ['docs'])
  await tree.claim(written, sampleAgent)
  await tree.complete(written, sampleAgent, {
    summary: 'Every change has a line.',
    skip_review: true,
  })
  await tree.claim(tagged, sampleAgent)
}

async function fillQueue(store: Store): Promise<void> {
  const queue = new Queue(store)
  try {
    for (const task of sampleTasks) await queue.submit(task)
  } finally {
    await queue.close()
  }
}

/** What runs when it is asked to end is given back after this time, and is done after the next start. */
const shutdownDeadlineMs = 1_000

/** The types have names that nobody else's have: a worker here must not take the tasks of another one. */
const handlers: Readonly<Record<string, Handler<never>>> = {
  'sample.greet': ({ name }: { name?: unknown }) => {
    if (typeof name !== 'string') throw new PermanentError('There is no name to greet.')
    return { greeting: `Hello, ${name}!` }
  },
  'sample.second_try': (_: unknown, { attempt }) => {
    if (attempt === 1) throw new Error('The first try fails, so that a second one can be seen.')
    return { attempt }
  },
  'sample.count_down': async ({ from }: { from: number }, { progress, signal }) => {
    for (let left = from; left > 0; left--) {
      progress(1 - left / from)
      await sleep(1_000, undefined, { signal })
    }
    return { counted: from }
  },
}

/** Tasks that succeed, one that takes its time, one that is tried again, and one that fails for good. */
const sampleTasks: readonly Submission[] = [
  { type: 'sample.greet', input: { name: 'Ada' } },
  { type: 'sample.greet', input: { name: 'Grace' } },
  { type: 'sample.count_down', input: { from: 20 } },
  { type: 'sample.second_try', input: {} },
  { type: 'sample.greet', input: {} },
]

/** A worker for the samples, and for more of their types, until it is disposed of. */
export async function startSampleWorker(
  store: Store,
  log: (line: string) => void,
): Promise<AsyncDisposable> {
  const worker = new Worker(store, {
    handlers,
    shutdownDeadlineMs,
    // The server has one already.
    monitor: false,
    onWarning: log,
    onEvent: (event) => logEvent(event, log),
  })
  await worker.start()
  return { [Symbol.asyncDispose]: () => worker.stop({ beforeExit: true }) }
}

const eventWords = {
  started: null,
  completed: 'is completed',
  retried: 'will be tried again',
  failed: 'has failed',
  cancelled: 'is cancelled',
  requeued: 'was given back',
  // What the worker warns of.
  lost: null,
  unreported: null,
} as const satisfies Readonly<Record<WorkerEvent['type'], string | null>>

function logEvent({ type, task }: WorkerEvent, log: (line: string) => void): void {
  const word = eventWords[type]
  if (word !== null) log(`${task.task_type} ${task.id} ${word}.`)
}
