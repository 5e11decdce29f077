import { isLoss } from '../error.ts'
import type { Metrics } from '../metrics.ts'
import type { Task } from '../task.ts'
import type { WorkerOptions } from './options.ts'
import { counterOf, type End, type Outcome } from './outcome.ts'
import type { Attempt } from './report.ts'

/** What a worker counts, traces, and tells whoever runs it: of each attempt one end, which is the one that the store has. */
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

  /** An attempt has ended, and the store knows it. */
  finished(attempt: Attempt, after: Task, end: End): void {
    this.#isAway = false
    this.#tell(attempt, after, end)
  }

  notFinished(attempt: Attempt, error: unknown): void {
    if (isLoss(error)) this.lost(attempt)
    else {
      this.warn(`The end of task ${attempt.id} could not be reported: ${wordsOf(error)}`)
      this.#tell(attempt, attempt.task, 'unreported')
    }
  }

  lost(attempt: Attempt): void {
    const { id, task } = attempt
    this.warn(`The lease on task ${id}, attempt ${task.attempt}, is lost; its outcome is dropped.`)
    this.#tell(attempt, task, 'lost')
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

  #tell({ runMs, span }: Attempt, task: Task, type: Outcome): void {
    this.#metrics.count(counterOf[type], task.task_type)
    span?.end(type)
    this.#onEvent?.({ type, task, runMs })
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
