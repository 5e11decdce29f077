import type { Held } from '../../collection/index.ts'
import { type Checked, checkOutput, isInline } from '../content.ts'
import type { Stored } from '../document.ts'
import { errorText, isLoss, PermanentError } from '../error.ts'
import type { Command } from '../step.ts'
import type { Json, Task } from '../task.ts'
import { type End, endOf, isMadeBy } from './outcome.ts'
import { checkPassing, isUnknown, persistently } from './persistently.ts'
import type { AttemptSpan } from './tracing.ts'
import type { Workshop } from './workshop.ts'

/** The attempt that is reported on. */
export interface Attempt {
  readonly id: string
  readonly task: Task
  readonly leaseId: string
  /** How long its handler has run. */
  readonly runMs: number
  readonly held: Held<Stored>
  /** Where the program traces its attempts. */
  readonly span: AttemptSpan | null
}

/** What the store has made of it. */
interface Done {
  readonly after: Task
  readonly end: End
}

/** Makes what is to be written at a time by the store's clock. */
type Timed = (nowMs: number) => Command

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
    return this.#finish((nowMs) => ['complete', { leaseId, nowMs, output, outputRef }])
  }

  fail(error: unknown): Promise<void> {
    const { leaseId } = this.#attempt
    const command = {
      leaseId,
      error: errorText(error),
      isPermanent: isPermanentError(error),
      random: Math.random(),
    }
    return this.#finish((nowMs) => ['fail', { ...command, nowMs }])
  }

  /** Gives the task back without a charge. */
  requeue(): Promise<void> {
    const { leaseId } = this.#attempt
    return this.#finish((nowMs) => ['requeue', { leaseId, nowMs }])
  }

  /** Ends it because that was asked for. */
  abandon(): Promise<void> {
    const { leaseId } = this.#attempt
    return this.#finish((nowMs) => ['abandon', { leaseId, nowMs, error: null }])
  }

  /** What is told when it is done must not be taken for a failure of the store, so it stands behind. */
  async #finish(timed: Timed): Promise<void> {
    const inDoubt: Command[] = []
    let done: Done
    try {
      const now = this.#shop.now()
      done = await this.#send(timed(typeof now === 'number' ? now : await now), inDoubt)
    } catch (error) {
      return this.#finishAfter(error, timed, inDoubt)
    }
    this.#shop.finished(this.#attempt, done.after, done.end)
  }

  async #send(command: Command, inDoubt: Command[]): Promise<Done> {
    try {
      const { after } = await this.#shop.repository.changeHeld(this.#attempt.held, command)
      return { after, end: endOf(command, after) }
    } catch (error) {
      if (isUnknown(error)) inDoubt.push(command)
      throw error
    }
  }

  /** Again and again, where the first try has failed because of the store. */
  async #finishAfter(failure: unknown, timed: Timed, inDoubt: Command[]): Promise<void> {
    const send = async () => this.#send(timed(await this.#shop.now()), inDoubt)
    let done: Done
    try {
      checkPassing(this.#shop, failure)
      done = await persistently(this.#shop, send).catch((error: unknown) =>
        // Where an answer was lost, it may have been that, and not another, which ended the lease.
        inDoubt.length > 0 && isLoss(error) ? this.#found(inDoubt, error) : Promise.reject(error),
      )
    } catch (error) {
      this.#shop.notFinished(this.#attempt, error)
      return
    }
    this.#shop.finished(this.#attempt, done.after, done.end)
  }

  /** The history tells what became of reports whose answers were lost, whatever has become of the task since. */
  async #found(inDoubt: readonly Command[], loss: unknown): Promise<Done> {
    const { id, task } = this.#attempt
    const { repository } = this.#shop
    for (const version of await persistently(this.#shop, () => repository.history(id))) {
      const command = inDoubt.find((each) => isMadeBy(each, task, version.task))
      if (command) return { after: version.task, end: endOf(command, version.task) }
    }
    throw loss
  }
}

/** Modules may have loaded the class from somewhere else. */
const isPermanentError = (error: unknown): boolean =>
  error instanceof PermanentError || (error instanceof Error && error.name === 'PermanentError')
