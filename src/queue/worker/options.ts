import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { shown } from '../../collection/index.ts'
import { checkNumber, checkShard, checkType, checkWorkerId } from '../checks.ts'
import { InvalidTaskError } from '../error.ts'
import { shards as allShards } from '../fields.ts'
import type { MonitorOptions } from '../monitor.ts'
import type { Task } from '../task.ts'
import type { AnyHandler, TypedHandler } from '../task-type.ts'
import type { Outcome } from './outcome.ts'

/** Every way to look for work. */
export const indexModes = ['index-only', 'hybrid', 'log-scan'] as const

/** Where a worker looks for tasks: in the index alone, in the log too where the index has nothing, or in the log alone. */
export type IndexMode = (typeof indexModes)[number]

/** What happened to a task in the hands of a worker. */
export interface WorkerEvent {
  /**
   * What happened to it. Each attempt that was started has one end, and it is the one that the store has: `lost` where the
   * task went on without it, and `unreported` where the store could not be told, or did not answer, before the worker ended.
   */
  readonly type: 'started' | Outcome
  /** As it is then; of an attempt that was lost or could not be reported, as it was claimed. */
  readonly task: Task
  /** How long its handler has run. */
  readonly runMs: number
}

/** How to stop. */
export interface StopOptions {
  /** How long to wait for what runs, where not as its options say. */
  readonly deadlineMs?: number | undefined
  /**
   * The process exits as soon as `stop` has returned: tasks whose handlers take no notice of being aborted are given back last
   * of all. A handler has a second to end, or its `endMs`, up to 7.5 s.
   */
  readonly beforeExit?: boolean | undefined
}

/** What a worker does, and how; all but its handlers may be left out. */
export interface WorkerOptions {
  /** What to do, by type: functions, or those that typed task types make. */
  readonly handlers: Readonly<Record<string, AnyHandler>> | readonly TypedHandler[]
  /** A name that no other worker has; made for you where it is left out. */
  readonly id?: string | undefined
  /** How many tasks run at once; 10 where it is left out. */
  readonly concurrency?: number | undefined
  /** How many more are claimed ahead; none where it is left out. */
  readonly prefetch?: number | undefined
  /** Which shards to look in; all where it is left out. */
  readonly shards?: readonly string[] | undefined
  /** Whether tasks without an index entry are looked for, too; `hybrid` where it is left out. */
  readonly indexMode?: IndexMode | undefined
  /** How many entries of the index to read at a time; 100 where it is left out. */
  readonly readyPageSize?: number | undefined
  /** How many tasks to read at a time where the index has nothing; 50 where it is left out. */
  readonly logScanPageSize?: number | undefined
  /** Leases shorter than the timeout, renewed while the handler runs, so that a dead worker's tasks are back sooner. */
  readonly leaseMs?: number | undefined
  /**
   * The URL of the store. With it leases are watched over by a thread with a connection of its own, also while a
   * handler blocks the event loop.
   */
  readonly url?: string | undefined
  /** How long `stop` waits for what runs; 30 s where it is left out. */
  readonly shutdownDeadlineMs?: number | undefined
  /** How the embedded monitor works; false for none. */
  readonly monitor?: false | Omit<MonitorOptions, 'onWarning' | 'now'> | undefined
  /** The longest pause between two looks when there is nothing to do; 5 s where it is left out. */
  readonly idleMsMax?: number | undefined
  /** Told in a sentence of what went wrong and could be helped. */
  readonly onWarning?: ((warning: string) => void) | undefined
  /** Told of every task that is begun, and of how it ended. */
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined
  /** Milliseconds since the epoch; the store's clock where it is left out. */
  readonly now?: (() => number | Promise<number>) | undefined
}

/** The options with all that was left out. */
export interface Settings {
  readonly id: string
  readonly handlers: ReadonlyMap<string, TypedHandler>
  readonly concurrency: number
  readonly prefetch: number
  readonly shards: readonly string[]
  readonly indexMode: IndexMode
  readonly readyPageSize: number
  readonly logScanPageSize: number
  readonly leaseMs: number | undefined
  readonly url: string | undefined
  readonly shutdownDeadlineMs: number
  readonly idleMsMax: number
}

const pageSizeMax = 1000
const dayMs = 86_400_000

/** Throws {@link InvalidTaskError}. */
export function settingsOf(options: WorkerOptions): Settings {
  const { leaseMs, indexMode = 'hybrid', shards = allShards } = options
  if (!indexModes.includes(indexMode))
    throw new InvalidTaskError(
      `There is no index mode ${shown(indexMode)}.`,
      `Use ${indexModes.join(', ')}.`,
    )
  if (shards.length === 0)
    throw new InvalidTaskError('There are no shards to look in.', 'Name some, or leave it out.')
  return {
    id: checkWorkerId(options.id ?? ownName()),
    handlers: handlersOf(options.handlers),
    concurrency: whole('concurrency', options.concurrency ?? 10, 1, 10_000),
    prefetch: whole('prefetch', options.prefetch ?? 0, 0, 10_000),
    shards: [...new Set(shards.map(checkShard))].sort(),
    indexMode,
    readyPageSize: whole('readyPageSize', options.readyPageSize ?? 100, 1, pageSizeMax),
    logScanPageSize: whole('logScanPageSize', options.logScanPageSize ?? 50, 1, pageSizeMax),
    leaseMs: leaseMs === undefined ? undefined : checkNumber('leaseMs', leaseMs, 1_000, 7 * dayMs),
    url: options.url,
    shutdownDeadlineMs: checkNumber(
      'shutdownDeadlineMs',
      options.shutdownDeadlineMs ?? 30_000,
      0,
      dayMs,
    ),
    idleMsMax: checkNumber('idleMsMax', options.idleMsMax ?? 5_000, 10, dayMs),
  }
}

function whole(name: string, value: number, min: number, max: number): number {
  if (!Number.isInteger(value))
    throw new InvalidTaskError(`${name} is ${shown(value)}.`, `Give a whole number from ${min} on.`)
  return checkNumber(name, value, min, max)
}

function handlersOf(given: WorkerOptions['handlers']): ReadonlyMap<string, TypedHandler> {
  if (typeof given !== 'object' || given === null) throw noHandlers()
  const list: TypedHandler[] = Array.isArray(given)
    ? [...given]
    : Object.entries(given as Record<string, AnyHandler>).map(([type, run]) => ({ type, run }))
  if (list.length === 0) throw noHandlers()
  for (const { type, run } of list)
    if (typeof run !== 'function')
      throw new InvalidTaskError(
        `The handler of ${shown(checkType(type))} is no function.`,
        'Give a function for each type.',
      )
  return new Map(list.map((handler) => [checkType(handler.type), handler]))
}

const noHandlers = (): InvalidTaskError =>
  new InvalidTaskError(
    'The worker has no handlers.',
    'Give a function for each type of tasks that it is to do.',
  )

const ownName = (): string =>
  `${hostname().slice(0, 100)}-${process.pid}-${randomBytes(3).toString('hex')}`
