import { LostLeaseError } from '../error.ts'
import type { Metrics } from '../metrics.ts'
import type { Task } from '../task.ts'
import type { WorkerOptions } from './options.ts'
import type { Attempt } from './report.ts'
import type { Counter } from './workshop.ts'

/** What each end of an attempt is called. */
const eventTypes = {
  tasks_completed: 'completed',
  tasks_retried: 'retried',
  tasks_failed: 'failed',
  tasks_cancelled: 'cancelled',
  tasks_requeued: 'requeued',
} as const

/** What a worker counts, and what it tells whoever runs it. */
export class News {
  readonly warn: (warning: string) => void
  readonly #metrics: Metrics
  readonly #onEvent: WorkerOptions['onEvent']
  #isAway = false

  constructor(
    metrics: Metrics,
    warn: (warning: string) => void,
    onEvent?: WorkerOptions['onEvent'],
  ) {
    this.#metrics = metrics
    this.#onEvent = onEvent
    this.warn = warn
  }

  started({ task }: Attempt): void {
    this.#onEvent?.({ type: 'started', task, runMs: 0 })
  }

  /** An attempt has ended, and the store knows it; the task is null where that is known only indirectly. */
  finished({ task, startedAt }: Attempt, after: Task | null, reported: Counter): void {
    const isRetried = reported === 'tasks_failed' && after?.status === 'pending'
    const isCancelled = after?.status === 'cancelled'
    const counter = isCancelled ? 'tasks_cancelled' : isRetried ? 'tasks_retried' : reported
    this.#metrics.count(counter, task.task_type)
    this.#isAway = false
    const runMs = performance.now() - startedAt
    this.#onEvent?.({ type: eventTypes[counter], task: after ?? task, runMs })
  }

  notFinished(attempt: Attempt, error: unknown): void {
    if (error instanceof LostLeaseError) this.lost(attempt)
    else this.warn(`The end of task ${attempt.id} could not be reported: ${wordsOf(error)}`)
  }

  lost({ id, task }: Attempt): void {
    this.#metrics.count('leases_lost', task.task_type)
    this.warn(`The lease on task ${id}, attempt ${task.attempt}, is lost; its outcome is dropped.`)
  }

  /** Told once for each time that the store goes away. */
  away(error: unknown): void {
    if (this.#isAway) return
    this.#isAway = true
    this.warn(`The store can't be used for now, and is tried again: ${wordsOf(error)}`)
  }

  back(): void {
    this.#isAway = false
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
