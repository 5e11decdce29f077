import type { Contents } from '../content.ts'
import type { Metrics } from '../metrics.ts'
import type { Repository } from '../repository.ts'
import type { SetAside } from '../set-aside.ts'
import type { Task } from '../task.ts'
import type { Execution } from './execution.ts'
import type { LeaseGuard } from './lease-guard.ts'
import type { Settings } from './options.ts'
import type { End } from './outcome.ts'
import type { Attempt } from './report.ts'
import type { Tracing } from './tracing.ts'

/** What an attempt needs of its worker, and tells it. */
export interface Workshop {
  readonly settings: Settings
  readonly repository: Repository
  readonly contents: Contents
  readonly metrics: Metrics
  /** Watches over leases from a thread of its own, where there is one. */
  readonly guard: LeaseGuard | null
  /** Where the program has set up OpenTelemetry. */
  readonly tracing: Tracing | null
  /** How often to look whether somebody wants a task to end. */
  readonly lookMs: number
  /** Aborted where the worker ends without the store. */
  readonly givenUp: AbortSignal
  now(): number | Promise<number>
  warn(warning: string): void
  /** Tasks that can't be served. */
  readonly aside: SetAside
  /** The store could not be reached. */
  away(error: unknown): void
  /** Its handler starts. */
  begun(execution: Execution): void
  /** A lease is renewed or looked at; never fails. */
  kept(upkeep: Promise<unknown>): void
  /** Its slot is free; its report is under way. */
  released(execution: Execution, report: Promise<void>): void
  /** The store has taken its report, and made this of the task. */
  finished(attempt: Attempt, task: Task, end: End): void
  notFinished(attempt: Attempt, error: unknown): void
  lost(attempt: Attempt): void
}
