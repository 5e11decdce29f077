import {
  type IndexMode,
  indexModes,
  type MonitorOptions,
  Worker,
} from '../../../../src/queue/internal.ts'
import type { Store } from '../../../../src/store/index.ts'
import type { Process } from '../../process.ts'
import type { Random } from '../../random.ts'
import type { Employee } from './employee.ts'
import { handlersOf, type Tools } from './handlers.ts'

/** The types of tasks that there are. */
export const types = ['mail', 'image', 'sum'] as const
/** What the thread of a worker is told to open. */
const threadUrl = 'sim:'

/** How long a request of a worker that has ended may take, and what it has the worker do. */
const answerMsMax = 30_000

export interface Hired {
  readonly worker: Worker
  readonly employee: Employee
}

/** How a worker is set up; all the rest as the product has it. */
export interface Job {
  readonly id: string
  readonly types: readonly string[]
  readonly concurrency: number
  readonly prefetch: number
  readonly leaseMs: number | undefined
  readonly hasThread: boolean
  readonly endMs: number
  readonly indexMode: IndexMode
  readonly readyPageSize: number
  readonly idleMsMax: number
  readonly shards?: readonly string[] | undefined
  readonly monitor: false | MonitorOptions
}

const shards = [...'0123456789abcdef']

export function drawJob(id: string, { scene }: Tools, random: Random): Job {
  const isSlow = scene.kind.latencyMs[1] > 1_000
  const leasesMs = isSlow ? [undefined, 10_000] : [undefined, undefined, 1_000, 2_000, 5_000]
  return {
    id,
    types: random.chance(0.5) ? types : types.filter(() => random.chance(0.6)).concat('mail'),
    concurrency: random.pick([1, 1, 2, 5]),
    prefetch: random.pick([0, 0, 1, 4]),
    leaseMs: random.pick(leasesMs),
    hasThread: random.chance(0.35),
    endMs: random.pick([500, 2_000, 6_000]),
    indexMode: random.chance(0.7) ? 'hybrid' : random.pick(indexModes),
    readyPageSize: random.pick([1, 2, 100, 100]),
    idleMsMax: random.pick([5_000, 20_000]),
    shards: random.chance(0.8) ? undefined : random.chance(0.5) ? shards.slice(8) : ['3', '7', 'c'],
    monitor: random.chance(0.5) ? false : drawMonitor(random),
  }
}

export const drawMonitor = (random: Random): MonitorOptions => ({
  checkIntervalMs: random.pick([3_000, 10_000, 30_000]),
  sweepIntervalMs: random.pick([0, 10_000, 60_000]),
  sweepPageSize: random.pick([2, 1_000]),
  graceMs: 15_000,
})

/** Starts a worker as part of the process that is current, and tells the oracle all that it tells. */
export async function hire(
  tools: Tools,
  { process, store }: { process: Process; store: Store },
  job: Job,
): Promise<Hired> {
  const { oracle, scene } = tools
  const { id, types, concurrency, leaseMs, hasThread, endMs, ...options } = job
  const employee: Employee = {
    id,
    process,
    types: [...new Set(types)],
    concurrency,
    leaseMs,
    hasThread,
    endMs,
    stoppingAt: null,
    isExiting: false,
    isExited: false,
    running: new Set(),
    told: new Map(),
  }
  oracle.attempts.employees.set(id, employee)
  const worker = new Worker(store, {
    ...options,
    id,
    concurrency,
    leaseMs,
    url: hasThread ? threadUrl : undefined,
    handlers: handlersOf(tools, employee),
    onWarning: (warning) => scene.note(process, () => `${id} warns: ${warning}`),
    onEvent: (event) => {
      scene.note(process, () => `${id} tells: ${event.type} ${event.task.id}`)
      oracle.attempts.told(event, employee)
    },
  })
  await worker.start()
  return { worker, employee }
}

/** Ends a worker as its options say; afterwards it runs nothing, and has told how all of it ended. */
export async function dismiss(
  { oracle }: Tools,
  { worker, employee }: Hired,
  { deadlineMs, beforeExit }: { deadlineMs: number; beforeExit: boolean },
): Promise<void> {
  employee.stoppingAt = oracle.now
  employee.isExiting = beforeExit && !employee.hasThread
  await worker.stop({ deadlineMs, beforeExit })
  if (beforeExit) employee.isExiting = employee.isExited = true
  oracle.attempts.stopped(employee)
  checkCounters(oracle, worker, employee)
  // What could not be reported in time may still have its answer to come; then nothing is left.
  if (!beforeExit && employee.told.has('unreported'))
    await new Promise<void>((resolve) => void employee.process.after(answerMsMax, resolve))
}

const counters = {
  completed: 'tasks_completed',
  retried: 'tasks_retried',
  failed: 'tasks_failed',
  cancelled: 'tasks_cancelled',
  requeued: 'tasks_requeued',
  lost: 'leases_lost',
  unreported: 'reports_failed',
} as const

/** What it counts is what it tells. */
function checkCounters(oracle: Tools['oracle'], { metrics }: Worker, { id, told }: Employee): void {
  for (const [type, name] of Object.entries(counters)) {
    const [count, expected] = [metrics.total(name), told.get(type as keyof typeof counters) ?? 0]
    if (count !== expected) oracle.violated(`${id} counts ${count} ${name}, and told ${expected}`)
  }
}
