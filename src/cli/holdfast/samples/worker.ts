import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Handler,
  PermanentError,
  type Submission,
  Worker,
  type WorkerEvent,
} from '../../../queue/internal.ts'
import type { Store } from '../../../store/internal.ts'

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
export const sampleTasks: readonly Submission[] = [
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
    onEvent: (event) => tell(event, log),
  })
  await worker.start()
  return { [Symbol.asyncDispose]: () => worker.stop({ beforeExit: true }) }
}

const words = {
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

function tell({ type, task }: WorkerEvent, log: (line: string) => void): void {
  const word = words[type]
  if (word !== null) log(`${task.task_type} ${task.id} ${word}.`)
}
