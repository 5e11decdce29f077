import { randomUUID } from 'node:crypto'
import {
  type DocumentEvent,
  type RepairOptions,
  type RepairReport,
  type StandardSchema,
  Waiters,
} from '../collection/index.ts'
import type { Store } from '../store/index.ts'
import { type CallOptions, Calls } from './calls.ts'
import {
  checkCursor,
  checkKey,
  checkLimit,
  checkMoreAttempts,
  checkStatus,
  checkSubmission,
  checkWorkerId,
  errorText,
  type Page,
  type Submission,
} from './checks.ts'
import { Clock, type ClockSource } from './clock.ts'
import { Contents } from './content.ts'
import { InvalidTaskError, StoreClosedError } from './error.ts'
import { idMaker } from './id.ts'
import { Repository } from './repository.ts'
import { apply, type Claimant, fenced, type TimedRule } from './rules.ts'
import { StaleClaims } from './stale-claims.ts'
import { isTerminal, newTask, type StoredTask, type Task, type TaskStatus } from './task.ts'
import { harmless } from './warnings.ts'

/** How a manager works; all of it may be left out. */
export interface TaskManagerOptions<P = Uint8Array, R = Uint8Array, PIn = P, RIn = R> {
  /** What payloads are: JSON that a Standard Schema checks. Bytes where it is left out. */
  readonly payload?: StandardSchema<PIn, P> | undefined
  /** The same for results. */
  readonly result?: StandardSchema<RIn, R> | undefined
  /** How old a claim may become before it is taken away; for ever where it is left out. */
  readonly claimTtlMs?: number | undefined
  /** Milliseconds since the epoch; the store's clock where it is left out. */
  readonly now?: ClockSource | undefined
  /** Told in a sentence of every stored task that can't be read, and of failures in the background. */
  readonly onWarning?: ((warning: string) => void) | undefined
}

/** Who finishes an attempt, and which: what a claim gave. A claim that is another's by now refuses it. */
export type ClaimantOptions = Claimant & CallOptions

/**
 * Tasks that are done once: submitted under an idempotency key, claimed by one worker at a time, retried up to a
 * limit. Everybody who opens the same store shares them. Every refusal is a {@link TaskError} and has changed
 * nothing; failures of the store are `StoreError`s.
 */
export class TaskManager<P = Uint8Array, R = Uint8Array, PIn = P, RIn = R>
  implements AsyncDisposable
{
  readonly #contents: Contents<P, R>
  readonly #clock: Clock
  readonly #tasks: Repository
  readonly #waiters: Waiters<StoredTask>
  readonly #stale: StaleClaims
  readonly #calls = new Calls()
  readonly #newId = idMaker()
  #closing: Promise<void> | undefined

  constructor(store: Store, options: TaskManagerOptions<P, R, PIn, RIn> = {}) {
    const { claimTtlMs, now } = options
    const onWarning = harmless(options.onWarning)
    this.#contents = new Contents(options)
    this.#clock = new Clock(store, now)
    const checkContent = (task: StoredTask) => this.#contents.check(task)
    this.#tasks = new Repository(store, { onWarning, checkContent })
    this.#waiters = new Waiters(this.#tasks.all, {
      read: (id) => this.#tasks.get(id),
      isOver: isTerminal,
      closed: () => new StoreClosedError(),
    })
    this.#stale = new StaleClaims({
      ttlMs: claimTtlMs,
      release: (ttlMs) => this.#calls.write(undefined, () => this.#release(ttlMs)),
      onWarning,
    })
  }

  /**
   * Creates a task, or finds the one that has its idempotency key; answers with the id.
   *
   * @throws {@link InvalidTaskError} where it can't be one, {@link TaskExistsError} where its own id is taken.
   */
  async submit(task: Submission<PIn>, { signal }: CallOptions = {}): Promise<string> {
    const [id] = await this.submitMany([task], { signal })
    return id as string
  }

  /**
   * As {@link TaskManager.submit} for each, in fewer commits. All are checked before any is written; it is not all
   * or nothing beyond that, but doing it again with the same keys does the rest.
   */
  submitMany(tasks: readonly Submission<PIn>[], { signal }: CallOptions = {}): Promise<string[]> {
    return this.#calls.write(signal, async () => {
      if (!Array.isArray(tasks))
        throw new InvalidTaskError('What was submitted is no list.', 'Give an array of tasks.')
      // All are begun at once, so that each is taken as it is now.
      const checked = await Promise.all(
        Array.from(tasks, (task) => checkSubmission(task, this.#contents.payload)),
      )
      const createdMs = await this.#clock.creationMs()
      const createdAt = new Date(createdMs).toISOString()
      const drafts = checked.map((submission) => ({
        isIdGiven: submission.id !== null,
        task: newTask({ ...submission, id: submission.id ?? this.#newId(createdMs), createdAt }),
      }))
      return this.#tasks.submit(drafts, signal)
    })
  }

  /**
   * Gives a pending task to a worker. Claiming what one has already changes nothing.
   * @throws {@link TaskAlreadyClaimedError}, {@link TaskCompletedError}, {@link TaskFailedError}.
   */
  claim(id: string, workerId: string, { signal }: CallOptions = {}): Promise<Task<P, R>> {
    return this.#change(id, signal, () => {
      const claim = { workerId: checkWorkerId(workerId), token: randomUUID() }
      return (task, now) => apply('claim', task, { ...claim, now })
    })
  }

  /** Gives the oldest pending task to a worker; null where nothing is pending. */
  claimNext(workerId: string, { signal }: CallOptions = {}): Promise<Task<P, R> | null> {
    return this.#calls.write(signal, async () => {
      const claim = { workerId: checkWorkerId(workerId), token: randomUUID() }
      const now = await this.#clock.now()
      const rule = (task: StoredTask) => apply('claim', task, { ...claim, now })
      const task = await this.#tasks.claimNext(rule, signal)
      return task && this.#contents.task(task)
    })
  }

  /**
   * Ends a claimed task well. The first result counts: completing it again changes nothing.
   * @throws {@link TaskNotClaimedError}, {@link WrongWorkerError} where the claim is another's, {@link TaskFailedError}.
   */
  complete(
    id: string,
    result?: RIn | null,
    { workerId, attempt, signal }: ClaimantOptions = {},
  ): Promise<Task<P, R>> {
    return this.#change(id, signal, async () => {
      const worker = checkClaimant(workerId)
      const stored = await this.#contents.result.encode(result)
      return fenced(attempt, (task, now, own) =>
        apply('complete', task, { result: stored, workerId: worker, attempt: own, now }),
      )
    })
  }

  /**
   * Ends an attempt badly: the task is pending again, or failed after its last attempt.
   * @throws {@link TaskNotClaimedError}, {@link WrongWorkerError}, {@link TaskCompletedError}.
   */
  fail(
    id: string,
    error: unknown,
    { workerId, attempt, signal }: ClaimantOptions = {},
  ): Promise<Task<P, R>> {
    return this.#change(id, signal, () => {
      const worker = checkClaimant(workerId)
      const text = errorText(error)
      return fenced(attempt, (task, now, own) =>
        apply('fail', task, { error: text, workerId: worker, attempt: own, now }),
      )
    })
  }

  /**
   * Makes a claimed or failed task pending again; `attempts` more than before are then allowed.
   * @throws {@link MaxAttemptsReachedError} where none is left, {@link TaskCompletedError}.
   */
  retry(
    id: string,
    { attempts, signal }: CallOptions & { readonly attempts?: number | undefined } = {},
  ): Promise<Task<P, R>> {
    return this.#change(id, signal, () => {
      const more = checkMoreAttempts(attempts)
      let seen: number | null = null
      return (task) => {
        // Claimed again since we first looked, so it has been pending meanwhile.
        if (seen !== null && seen !== task.attempts) return task
        seen = task.attempts
        return apply('retry', task, { attempts: more })
      }
    })
  }

  /**
   * The task with this id.
   *
   * @throws {@link TaskNotFoundError} where there is none, {@link CorruptTaskError} where it can't be read.
   */
  get(id: string, { signal }: CallOptions = {}): Promise<Task<P, R>> {
    return this.#calls.read(signal, async () => this.#contents.task(await this.#tasks.get(id)))
  }

  /**
   * The task that was submitted under this key.
   *
   * @throws {@link TaskNotFoundError} where there is none.
   */
  getByIdempotencyKey(key: string, { signal }: CallOptions = {}): Promise<Task<P, R>> {
    return this.#calls.read(signal, async () =>
      this.#contents.task(await this.#tasks.getByKey(checkKey(key))),
    )
  }

  /** A page of tasks, oldest first: of one status, or all. */
  list(
    status?: TaskStatus | null,
    { limit, cursor, signal }: Page & CallOptions = {},
  ): Promise<{ tasks: Task<P, R>[]; cursor: string | null }> {
    return this.#calls.read(signal, async () => {
      const page = { limit: checkLimit(limit), cursor: checkCursor(cursor) }
      const found = await this.#tasks.page(checkStatus(status), page)
      return { tasks: found.tasks.map((task) => this.#contents.task(task)), cursor: found.cursor }
    })
  }

  /** Deletes a completed or failed task; its key is free then. Throws {@link TaskNotTerminalError} for any other. */
  delete(id: string, { signal }: CallOptions = {}): Promise<void> {
    return this.#calls.write(signal, () => this.#tasks.delete(id))
  }

  /** The task as soon as it is completed or failed. Closing the manager rejects it. */
  wait(id: string, { signal }: CallOptions = {}): Promise<Task<P, R>> {
    return this.#calls.read(signal, async () => {
      const task = await this.#tasks.get(id)
      return this.#contents.task(isTerminal(task) ? task : await this.#waiters.wait(id, signal))
    })
  }

  /** Hints of what may have changed, until the signal is aborted; the first says that anything may. */
  changes(signal?: AbortSignal): AsyncGenerator<DocumentEvent> {
    return this.#tasks.all.watch(signal)
  }

  /** Takes away claims that are older than `claimTtlMs`, as `fail` does; says how many those were. */
  releaseStale({ signal }: CallOptions = {}): Promise<number> {
    return this.#calls.write(signal, () => this.#release(this.#stale.ttlMs, signal))
  }

  /** Brings keys and indexes to what the tasks say; only a crash on a store without transactions leaves work. */
  repair(options?: RepairOptions): Promise<RepairReport> {
    return this.#calls.write(undefined, () => this.#tasks.repair(options))
  }

  /** Lets calls in flight finish, and refuses all others. The store stays open: it is its owner's. */
  close(): Promise<void> {
    this.#calls.close()
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#stale.stop()
    await this.#waiters.close()
    await this.#calls.settled()
  }

  /** Runs a rule, made of what was given, until it is written. */
  #change(
    id: string,
    signal: AbortSignal | undefined,
    prepare: () => TimedRule | Promise<TimedRule>,
  ): Promise<Task<P, R>> {
    return this.#calls.write(signal, async () => {
      const rule = await prepare()
      const now = await this.#clock.now()
      const task = await this.#tasks.change(id, (before) => {
        signal?.throwIfAborted()
        return rule(before, now)
      })
      return this.#contents.task(task)
    })
  }

  async #release(ttlMs: number | null, signal?: AbortSignal): Promise<number> {
    if (ttlMs === null) return 0
    const now = await this.#clock.now()
    const release = (task: StoredTask) => apply('release', task, { ttlMs, now })
    return this.#tasks.changeClaimedBefore(Date.parse(now) - ttlMs, release, signal)
  }
}

const checkClaimant = (workerId: string | undefined): string | undefined =>
  workerId === undefined ? undefined : checkWorkerId(workerId)
