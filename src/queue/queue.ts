import {
  type Condition,
  type DocumentEvent,
  type RepairOptions,
  type RepairReport,
  setBackWarning,
  Waiters,
} from '../collection/index.ts'
import { checkedOptions, type Store } from '../store/internal.ts'
import {
  checkLimit,
  checkNumber,
  checkShard,
  checkStatus,
  checkType,
  type Submission,
} from './checks.ts'
import { Clock } from './clock.ts'
import { Contents } from './content.ts'
import type { Stored } from './document.ts'
import { AmbiguousIdError, InvalidTaskError, TaskNotFoundError } from './error.ts'
import { type Followed, follow } from './follow.ts'
import type { TaskVersion } from './history.ts'
import { checkId, checkIdPrefix, dashed } from './id.ts'
import { taskPath, tasksPrefix } from './keys.ts'
import { Listing, type ListOptions, type TaskPage } from './listing.ts'
import { Registry, removeWorkers } from './registry.ts'
import { Repository } from './repository.ts'
import { countTasks, type Stats, type StatsOptions } from './stats.ts'
import type { Command } from './step.ts'
import {
  type Brought,
  type Draft,
  draftOf,
  type Submitted,
  Submitter,
  submittedOf,
} from './submission.ts'
import { isTerminal, type Task } from './task.ts'
import type { WorkerStatus } from './worker-info.ts'

/** How a queue works; all of it may be left out. */
export interface QueueOptions {
  /** Told in a sentence of every stored task that can't be read, and is passed over. */
  readonly onWarning?: ((warning: string) => void) | undefined
  /** Milliseconds since the epoch; the store's clock where it is left out. */
  readonly now?: (() => number | Promise<number>) | undefined
}

/** What a command made of a task. */
export interface Changed {
  /** The task as it is now. */
  readonly task: Task
  /** False where it was so already. */
  readonly isChanged: boolean
}

const matchesNamedMax = 20
/** Sorts after every character that an id may have. */
const last = '\u{10FFFF}'
const extendMsMax = 7 * 86_400_000

/**
 * Tasks for workers on any number of machines: submitted, looked at and steered from anywhere that reaches the store.
 * Every refusal is a {@link QueueError} and has changed nothing; failures of the store are `StoreError`s.
 *
 * @example
 * ```js
 * import { Queue } from 'holdfast/queue'
 * import { openStore } from 'holdfast/store'
 *
 * const store = await openStore('memory:')
 * const queue = new Queue(store)
 * const { id } = await queue.submit({ type: 'send_email', input: { to: 'you@example.com' } })
 * console.log((await queue.get(id)).status) // pending
 * await queue.close()
 * await store[Symbol.asyncDispose]()
 * ```
 */
export class Queue {
  /** The store that it works on. */
  readonly store: Store
  readonly #repository: Repository
  readonly #contents: Contents
  readonly #submitter: Submitter
  readonly #listing: Listing
  readonly #registry: Registry
  readonly #waiters: Waiters<Stored>
  readonly #now: () => number | Promise<number>

  constructor(store: Store, options: QueueOptions = {}) {
    const { onWarning = () => {}, now } = checkedOptions(store, options)
    this.store = store
    this.#repository = new Repository(store, onWarning)
    this.#contents = new Contents(store)
    this.#submitter = new Submitter(this.#repository, this.#contents)
    this.#listing = new Listing(this.#repository)
    this.#registry = new Registry(store, onWarning)
    this.#now = now ?? new Clock(() => store.now(), setBackWarning(store, onWarning)).now
    this.#waiters = new Waiters(this.#repository.tasks, {
      read: async (id) => {
        const document = await this.#repository.tasks.get(id)
        if (!document) throw new TaskNotFoundError(id)
        return document.value
      },
      isOver: ({ task }) => isTerminal(task),
      closed: () => new InvalidTaskError('The queue was closed.', 'Make a new one.'),
    })
  }

  /**
   * Creates a task, or finds the one that has its idempotency key.
   *
   * @throws {@link InvalidTaskError} where it can't be one, {@link TaskExistsError} where its own id is taken.
   */
  async submit<I>(task: Submission<I>): Promise<Submitted> {
    return submittedOf(await this.#submit(await draftOf(task)))
  }

  /** As {@link Queue.submit}; gives the task as {@link Queue.get} does, without reading what was just written. */
  async ensure<I>(
    task: Submission<I>,
    { full = false }: { full?: boolean } = {},
  ): Promise<{ task: Task; isNew: boolean }> {
    const draft = await draftOf(task)
    const { task: stored, isNew } = await this.#submit(draft)
    if (!isNew) return { task: full ? await this.#contents.whole(stored) : stored, isNew }
    const isShown = full || stored.input_ref === null
    return { task: { ...stored, input: isShown ? JSON.parse(draft.input.json) : null }, isNew }
  }

  /**
   * The same for each, in as few commits as the store allows. All are checked before any is written; it is not all or
   * nothing beyond that, but doing it again with the same keys does the rest.
   */
  async submitMany<I>(tasks: readonly Submission<I>[]): Promise<Submitted[]> {
    if (!Array.isArray(tasks))
      throw new InvalidTaskError('What was submitted is no list.', 'Give an array of tasks.')
    const drafts: Draft[] = []
    for (const task of tasks as readonly Submission[]) drafts.push(await draftOf(task))
    const brought = await this.#submitter.submitMany(drafts, await this.#now())
    return brought.map(submittedOf)
  }

  /**
   * The task. A large input or output is null in it, unless it is asked for in full.
   *
   * @throws {@link TaskNotFoundError} where there is none, {@link CorruptTaskError} where it can't be read.
   */
  async get(id: string, { full = false }: { full?: boolean } = {}): Promise<Task> {
    const task = await this.#repository.get(checkId(id))
    return full ? this.#contents.whole(task) : task
  }

  /** All states that it has had, oldest first. */
  history(id: string): Promise<TaskVersion[]> {
    return this.#repository.history(checkId(id))
  }

  /** A page, newest first. */
  async list({
    limit,
    cursor,
    readMax,
    isIndexTrusted,
    ...filter
  }: ListOptions = {}): Promise<TaskPage> {
    if (filter.status !== undefined) checkStatus(filter.status)
    if (filter.type !== undefined) checkType(filter.type)
    const shard = filter.shard === undefined ? undefined : checkShard(filter.shard)
    const bounds = { limit: checkLimit(limit), cursor: cursor ?? null, readMax, isIndexTrusted }
    return this.#listing.page({ ...filter, shard }, bounds)
  }

  /**
   * The id that starts so.
   *
   * @throws {@link TaskNotFoundError} where there is none, {@link AmbiguousIdError} where there are several.
   */
  async resolve(prefix: string): Promise<string> {
    const digits = checkIdPrefix(prefix)
    const shard = `${tasksPrefix}/${digits.charAt(0)}`
    const start = `${shard}/${dashed(digits)}`
    const ids: string[] = []
    let count = 0
    const bounds = { after: start, before: `${start}${last}` }
    for await (const { key } of this.store.list(shard, bounds)) {
      const id = taskPath.idOf(key.slice(tasksPrefix.length + 1))
      if (id !== null && count++ < matchesNamedMax) ids.push(id)
    }
    const [id] = ids
    if (id === undefined) throw new TaskNotFoundError(dashed(digits))
    if (count > 1) throw new AmbiguousIdError(dashed(digits), ids, count)
    return id
  }

  /**
   * A failed or cancelled task is pending again, with all its retries.
   *
   * @throws {@link TransitionError} where it is neither.
   */
  replay(id: string, on?: Condition): Promise<Changed> {
    return this.#change(id, (nowMs) => ['replay', { nowMs }], on)
  }

  /**
   * Puts a completed, failed or cancelled task away.
   *
   * @throws {@link TransitionError} where it has not ended.
   */
  archive(id: string, on?: Condition): Promise<Changed> {
    return this.#change(id, (nowMs) => ['archive', { nowMs }], on)
  }

  /**
   * Brings an archived task back to the status it had before.
   *
   * @throws {@link TransitionError} where it is not archived.
   */
  unarchive(id: string, on?: Condition): Promise<Changed> {
    return this.#change(id, (nowMs) => ['unarchive', { nowMs }], on)
  }

  /** A pending task ends; whoever runs a running one is asked to stop, and `cancel_requested` says so. */
  cancel(id: string, on?: Condition): Promise<Changed> {
    return this.#change(id, (nowMs) => ['cancel', { nowMs }], on)
  }

  /** Raises the lease of a running task, and the limit of its handler with it. */
  extend(id: string, ms: number, { leaseId }: { leaseId?: string } = {}): Promise<Changed> {
    checkNumber('The extension in ms', ms, 1, extendMsMax)
    return this.#change(id, () => ['extend', { ms, leaseId }])
  }

  /** The task as soon as it has ended. */
  async wait(id: string, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<Task> {
    signal?.throwIfAborted()
    return (await this.#waiters.wait(checkId(id), signal)).task
  }

  /** The states that tasks come to from now on, until the signal is aborted; null where some may have been missed. */
  async *follow({ signal }: { signal?: AbortSignal | undefined } = {}): AsyncGenerator<Followed> {
    yield* follow(this.#repository, await this.#now(), signal)
  }

  /** How many tasks there are by status and type. It reads them all. */
  async stats(options?: StatsOptions): Promise<Stats> {
    return countTasks(this.#repository.tasks, await this.workers(), options)
  }

  /** The workers that are registered; those that were silent for longer than the threshold are stale. */
  async workers({ thresholdMs }: { thresholdMs?: number } = {}): Promise<WorkerStatus[]> {
    return this.#registry.list(await this.#now(), thresholdMs)
  }

  /**
   * Removes the registrations of workers, such as those that died. All are looked up first. A worker that is alive
   * registers again with its next heartbeat.
   *
   * @throws {@link WorkerNotFoundError} where one is not registered; then nothing is removed.
   */
  removeWorkers(ids: readonly string[]): Promise<WorkerStatus[]> {
    return removeWorkers(this.#registry, ids, this.#now)
  }

  /** Hints of what may have changed, until the signal is aborted; the first says that anything may. */
  changes(signal?: AbortSignal): AsyncGenerator<DocumentEvent> {
    return this.#repository.tasks.watch(signal)
  }

  /** Brings the indexes to what the tasks say. */
  repair(options?: RepairOptions): Promise<RepairReport> {
    return this.#repository.repair(options)
  }

  /** Whoever waits for tasks waits no longer. The store stays open for its owner. */
  close(): Promise<void> {
    return this.#waiters.close()
  }

  async #submit(draft: Draft): Promise<Brought> {
    const now = this.#now()
    return this.#submitter.submit(draft, typeof now === 'number' ? now : await now)
  }

  async #change(
    id: string,
    command: (nowMs: number) => Command,
    on: Condition = {},
  ): Promise<Changed> {
    const known = checkId(id)
    const { before, after } = await this.#repository.change(known, command(await this.#now()), on)
    return { task: after, isChanged: after !== before }
  }
}
