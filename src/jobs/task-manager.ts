import {
  checkedFields,
  type DocumentEvent,
  type RepairOptions,
  type RepairReport,
  ulidMaker,
  Waiters,
} from '../collection/index.ts'
import { checkStore, type Store } from '../store/internal.ts'
import { type CallOptions, Calls } from './calls.ts'
import {
  checkCursor,
  checkKey,
  checkLimit,
  checkMoreAttempts,
  checkOptions,
  checkStatus,
  checkWorkerId,
  errorText,
  type Page,
  type Submission,
} from './checks.ts'
import { Claims } from './claims.ts'
import { Clock } from './clock.ts'
import { Contents } from './content.ts'
import type { Submitted } from './draft.ts'
import { StoreClosedError } from './error.ts'
import { newTasks } from './new-tasks.ts'
import {
  type ChangeOptions,
  type ClaimantOptions,
  fields,
  type RetryOptions,
  type TaskManagerOptions,
} from './options.ts'
import { Repository } from './repository.ts'
import { apply, type FencedRule, fenced, retried, type TimedRule } from './rules.ts'
import { StaleClaims } from './stale-claims.ts'
import { checkState, type Expected } from './state.ts'
import { isTerminal, type StoredTask, type Task, type TaskStatus } from './task.ts'
import { harmless } from './warnings.ts'

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
  readonly #claims: Claims
  readonly #waiters: Waiters<StoredTask>
  readonly #stale: StaleClaims
  readonly #calls = new Calls()
  readonly #newId = ulidMaker()
  #closing: Promise<void> | undefined

  constructor(store: Store, options: TaskManagerOptions<P, R, PIn, RIn> = {}) {
    checkStore(store)
    const refuse = (what: string, next: string) => new TypeError(`${what} ${next}`)
    checkedFields(options, { noun: 'A manager', known: Object.keys(fields.manager) }, refuse)
    const onWarning = harmless(options.onWarning)
    this.#contents = new Contents(options)
    this.#clock = new Clock(store, { now: options.now, onWarning })
    const [contents, clock] = [this.#contents, this.#clock]
    this.#tasks = new Repository(store, { onWarning, contents, clock })
    this.#waiters = new Waiters(this.#tasks.all, {
      read: (id) => this.#tasks.get(id),
      isOver: isTerminal,
      closed: () => new StoreClosedError(),
    })
    this.#stale = new StaleClaims({
      ttlMs: options.claimTtlMs,
      release: (ttlMs) => this.#calls.write(undefined, () => this.#release(ttlMs)),
      onWarning,
    })
    this.#claims = new Claims(this.#tasks, { clock: this.#clock, ttlMs: this.#stale.ttlMs })
  }

  /**
   * Creates a task, or finds the one that has its idempotency key; answers with the id.
   *
   * @throws {@link InvalidTaskError} where it can't be one, {@link TaskExistsError} where its own id is taken.
   */
  async submit(task: Submission<PIn>, options?: CallOptions): Promise<string> {
    const [id] = await this.submitMany([task], options)
    return id as string
  }

  /** As {@link TaskManager.submit}; gives the task, and whether this call created it: of all with one key, one did. */
  async ensure(
    task: Submission<PIn>,
    options?: CallOptions,
  ): Promise<{ task: Task<P, R>; isNew: boolean }> {
    const [done] = await this.#submit([task], options)
    const { task: stored, isNew } = done as Submitted
    return { task: this.#contents.task(stored), isNew }
  }

  /**
   * As {@link TaskManager.submit} for each, in fewer commits. All are checked before any is written; it is not all
   * or nothing beyond that, but doing it again with the same keys does the rest.
   */
  async submitMany(tasks: readonly Submission<PIn>[], options?: CallOptions): Promise<string[]> {
    return (await this.#submit(tasks, options)).map(({ task }) => task.id)
  }

  /**
   * Gives a pending task to a worker. Claiming what one has already changes nothing.
   * @throws {@link TaskAlreadyClaimedError}, {@link TaskCompletedError}, {@link TaskFailedError}.
   */
  async claim(id: string, workerId: string, options?: ChangeOptions): Promise<Task<P, R>> {
    const { signal, ...on } = checkOptions(options, fields.change)
    return this.#calls.write(signal, async () => {
      const task = await this.#claims.claim(id, checkWorkerId(workerId), (before) => {
        signal?.throwIfAborted()
        checkState(before, on)
      })
      return this.#contents.task(task)
    })
  }

  /** Gives the oldest pending task to a worker; null where nothing is pending. */
  async claimNext(workerId: string, options?: CallOptions): Promise<Task<P, R> | null> {
    const { signal } = checkOptions(options, fields.call)
    return this.#calls.write(signal, async () => {
      const task = await this.#claims.claimNext(checkWorkerId(workerId), signal)
      return task && this.#contents.task(task)
    })
  }

  /**
   * Ends a claimed task well. The first result counts: completing it again changes nothing.
   * @throws {@link TaskNotClaimedError}, {@link WrongWorkerError} where the claim is another's, {@link TaskFailedError}.
   */
  complete(id: string, result?: RIn | null, options?: ClaimantOptions): Promise<Task<P, R>> {
    return this.#end(id, options, async () => {
      const stored = await this.#contents.result.encode(result)
      return (task, now, claimant) => apply('complete', task, { ...claimant, result: stored, now })
    })
  }

  /**
   * Ends an attempt badly: the task is pending again, or failed after its last attempt.
   * @throws {@link TaskNotClaimedError}, {@link WrongWorkerError}, {@link TaskCompletedError}.
   */
  fail(id: string, error: unknown, options?: ClaimantOptions): Promise<Task<P, R>> {
    return this.#end(id, options, async () => {
      const text = errorText(error)
      return (task, now, claimant) => apply('fail', task, { ...claimant, error: text, now })
    })
  }

  /**
   * Makes a claimed or failed task pending again; `attempts` more than before are then allowed.
   * @throws {@link MaxAttemptsReachedError} where none is left, {@link TaskCompletedError}.
   */
  async retry(id: string, options?: RetryOptions): Promise<Task<P, R>> {
    const { attempts, ...rest } = checkOptions(options, fields.retry)
    return this.#change(id, rest, async () => retried(checkMoreAttempts(attempts)))
  }

  /**
   * The task with this id.
   *
   * @throws {@link TaskNotFoundError} where there is none, {@link CorruptTaskError} where it can't be read.
   */
  async get(id: string, options?: CallOptions): Promise<Task<P, R>> {
    const { signal } = checkOptions(options, fields.call)
    return this.#calls.read(signal, async () => this.#contents.task(await this.#tasks.get(id)))
  }

  /**
   * The task that was submitted under this key.
   *
   * @throws {@link TaskNotFoundError} where there is none.
   */
  async getByIdempotencyKey(key: string, options?: CallOptions): Promise<Task<P, R>> {
    const { signal } = checkOptions(options, fields.call)
    return this.#calls.read(signal, async () =>
      this.#contents.task(await this.#tasks.getByKey(checkKey(key))),
    )
  }

  /** A page of tasks, oldest first: of one status, or all. */
  async list(
    status?: TaskStatus | null,
    options?: Page & CallOptions,
  ): Promise<{ tasks: Task<P, R>[]; cursor: string | null }> {
    const { limit, cursor, signal } = checkOptions(options, fields.page)
    return this.#calls.read(signal, async () => {
      const page = { limit: checkLimit(limit), cursor: checkCursor(cursor) }
      const found = await this.#tasks.page(checkStatus(status), page)
      return { tasks: found.tasks.map((task) => this.#contents.task(task)), cursor: found.cursor }
    })
  }

  /** Deletes a completed or failed task; its key is free then. Throws {@link TaskNotTerminalError} for any other. */
  async delete(id: string, options?: ChangeOptions): Promise<void> {
    const { signal, ...on } = checkOptions(options, fields.change)
    return this.#calls.write(signal, () => this.#tasks.delete(id, on))
  }

  /** The task as soon as it is completed or failed. Closing the manager rejects it. */
  async wait(id: string, options?: CallOptions): Promise<Task<P, R>> {
    const { signal } = checkOptions(options, fields.call)
    return this.#calls.read(signal, async () => {
      const task = await this.#tasks.get(id)
      return this.#contents.task(isTerminal(task) ? task : await this.#waiters.wait(id, signal))
    })
  }

  /** Hints of what may have changed, until the signal is aborted or the manager closed; the first says that anything may. */
  changes(signal?: AbortSignal): AsyncGenerator<DocumentEvent> {
    return this.#calls.follow(signal, (ending) => this.#tasks.all.watch(ending))
  }

  /** Takes away claims that are older than `claimTtlMs`, as `fail` does; says how many those were. */
  async releaseStale(options?: CallOptions): Promise<number> {
    const { signal } = checkOptions(options, fields.call)
    return this.#calls.write(signal, () => this.#release(this.#stale.ttlMs, signal))
  }

  /** Brings keys and indexes to what the tasks say; only a crash on a store without transactions leaves work. */
  async repair(options?: RepairOptions): Promise<RepairReport> {
    const checked = checkOptions(options, fields.repair)
    return this.#calls.write(undefined, () => this.#tasks.repair(checked))
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

  async #submit(
    tasks: readonly Submission<PIn>[],
    options: CallOptions | undefined,
  ): Promise<Submitted[]> {
    const { signal } = checkOptions(options, fields.call)
    return this.#calls.write(signal, async () => {
      const ground = { payload: this.#contents.payload, clock: this.#clock, newId: this.#newId }
      return this.#tasks.submit(await newTasks(tasks, ground), signal)
    })
  }

  /** Runs a rule that ends a claim: the one that is meant, and no other. */
  async #end(
    id: string,
    options: ClaimantOptions | undefined,
    prepare: () => Promise<FencedRule>,
  ): Promise<Task<P, R>> {
    const { workerId, attempt, claimToken, ...rest } = checkOptions(options, fields.claimant)
    const claimant = { workerId, attempt, claimToken }
    const task = await this.#change(id, rest, async () => {
      if (workerId !== undefined) checkWorkerId(workerId)
      return fenced(this.#claims.meant(id, claimant), await prepare())
    })
    this.#claims.ended(id, claimant)
    return task
  }

  /** Runs a rule, made of what was given, until it is written. */
  #change(
    id: string,
    { signal, ...on }: CallOptions & Expected,
    prepare: () => Promise<TimedRule>,
  ): Promise<Task<P, R>> {
    return this.#calls.write(signal, async () => {
      const rule = await prepare()
      const task = await this.#tasks.change(id, async (before) => {
        signal?.throwIfAborted()
        checkState(before, on)
        return rule(before, await this.#clock.now())
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
