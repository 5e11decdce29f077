import type { Held } from '../../collection/index.ts'
import { type Checked, checkOutput, isInline } from '../content.ts'
import type { Stored } from '../document.ts'
import { errorText, LostLeaseError, PermanentError } from '../error.ts'
import type { Command } from '../repository.ts'
import type { Json, Task } from '../task.ts'
import { checkPassing, isUnknown, persistently } from './persistently.ts'
import type { Counter, Workshop } from './workshop.ts'

/** The attempt that is reported on. */
export interface Attempt {
  readonly id: string
  readonly task: Task
  readonly leaseId: string
  /** By `performance.now()`. */
  readonly startedAt: number
  readonly held: Held<Stored>
}

/** Tells the store how an attempt went, until it has taken it or says that the lease is lost. Never throws. */
export class Report {
  readonly #shop: Workshop
  readonly #attempt: Attempt

  constructor(shop: Workshop, attempt: Attempt) {
    this.#shop = shop
    this.#attempt = attempt
  }

  complete(given: unknown): Promise<void> {
    try {
      const output = checkOutput(given)
      return isInline(output) ? this.#completeWith(output.value) : this.#completeLarge(output)
    } catch (error) {
      return this.fail(error)
    }
  }

  async #completeLarge(output: Checked): Promise<void> {
    const { contents } = this.#shop
    let ref: string
    try {
      ref = await persistently(this.#shop, () => contents.keepOutput(this.#attempt.task, output))
    } catch (error) {
      return this.fail(error)
    }
    return this.#completeWith(null, ref)
  }

  #completeWith(output: Json, outputRef: string | null = null): Promise<void> {
    const { leaseId } = this.#attempt
    return this.#finish(
      (nowMs) => ['complete', { leaseId, nowMs, output, outputRef }],
      'tasks_completed',
    )
  }

  fail(error: unknown): Promise<void> {
    const { leaseId } = this.#attempt
    const command = {
      leaseId,
      error: errorText(error),
      isPermanent: isPermanentError(error),
      random: Math.random(),
    }
    return this.#finish((nowMs) => ['fail', { ...command, nowMs }], 'tasks_failed')
  }

  /** Gives the task back without a charge. */
  requeue(): Promise<void> {
    const { leaseId } = this.#attempt
    return this.#finish((nowMs) => ['requeue', { leaseId, nowMs }], 'tasks_requeued')
  }

  /** Ends it because that was asked for. */
  abandon(): Promise<void> {
    const { leaseId } = this.#attempt
    return this.#finish((nowMs) => ['abandon', { leaseId, nowMs, error: null }], 'tasks_cancelled')
  }

  async #finish(command: (nowMs: number) => Command, counter: Counter): Promise<void> {
    let after: Task
    try {
      const now = this.#shop.now()
      const nowMs = typeof now === 'number' ? now : await now
      const { held } = this.#attempt
      after = (await this.#shop.repository.changeHeld(held, command(nowMs))).after
    } catch (error) {
      return this.#finishAfter(error, command, counter)
    }
    this.#shop.finished(this.#attempt, after, counter)
  }

  /** Again and again, where the first try has failed because of the store. */
  async #finishAfter(
    failure: unknown,
    command: (nowMs: number) => Command,
    counter: Counter,
  ): Promise<void> {
    let isDoubtful = isUnknown(failure)
    const report = async () =>
      this.#shop.repository.changeHeld(this.#attempt.held, command(await this.#shop.now()))
    try {
      checkPassing(this.#shop, failure)
      const { after } = await persistently(this.#shop, report, () => {
        isDoubtful = true
      })
      this.#shop.finished(this.#attempt, after, counter)
    } catch (error) {
      // Where the answer was lost, not the report, the task has gone on from this very attempt.
      if (isDoubtful && error instanceof LostLeaseError && (await this.#isEnded()))
        this.#shop.finished(this.#attempt, null, counter)
      else this.#shop.notFinished(this.#attempt, error)
    }
  }

  /** Nobody else ends an attempt without its lease expiring. */
  async #isEnded(): Promise<boolean> {
    const { id, task } = this.#attempt
    const now = await this.#shop.repository.get(id).catch(() => null)
    return now !== null && now.attempt === task.attempt && now.status !== 'running'
  }
}

/** Modules may have loaded the class from somewhere else. */
const isPermanentError = (error: unknown): boolean =>
  error instanceof PermanentError || (error instanceof Error && error.name === 'PermanentError')
