import {
  Collection,
  type Condition,
  CorruptDocumentError,
  pooled,
  type RepairOptions,
  type RepairReport,
  shown,
} from '../collection/index.ts'
import { compete, type Head, lost, type Store } from '../store/internal.ts'
import { nothing, taken, unreadable } from './attempt.ts'
import type { Clock } from './clock.ts'
import type { Contents } from './content.ts'
import { Deletion } from './deletion.ts'
import type { NewTask, Submitted } from './draft.ts'
import { MaxAttemptsReachedError, TaskNotFoundError } from './error.ts'
import { byCreation, byKey, byStatus, KeyTaken, keyIndex } from './indexes.ts'
import { checkedIdIn, checkSameKey } from './key-entry.ts'
import {
  claimOfPlace,
  createdPrefix,
  idemKeyOf,
  idOfPlace,
  isId,
  placeOf,
  statusPlaceOf,
  statusPrefix,
  taskPrefix,
  unclaimedPlaceOf,
} from './keys.ts'
import { Leftovers } from './leftovers.ts'
import { Pending } from './pending.ts'
import { SecondTasks } from './second-tasks.ts'
import { Submitter } from './submission.ts'
import { type StoredTask, type TaskStatus, taskCodec } from './task.ts'
import { Unreadable } from './unreadable.ts'

interface RepositoryOptions {
  /** Told in a sentence of every stored task that can't be read, and is passed over. */
  readonly onWarning: (warning: string) => void
  /** What tasks contain, for whoever uses them here. */
  readonly contents: Contents<unknown, unknown>
  readonly clock: Clock
}

interface TaskPage {
  readonly tasks: readonly StoredTask[]
  /** Where the next page begins; null where there is none. */
  readonly cursor: string | null
}

/** What becomes of a task; asked again in every attempt at the write. */
type NextTask = (task: StoredTask) => StoredTask | Promise<StoredTask>

/** How many expired claims are read at a time. */
const releasedAtOnce = 256

const indexes = [byCreation, byStatus]

/** Tasks in a store, with their keys and their order; what may be done to them is for others to say. */
export class Repository {
  readonly all: Collection<StoredTask>
  /** The same, whatever they contain: it may be meant for other users of the store. */
  readonly #sealed: Collection<StoredTask>
  readonly #store: Store
  readonly #submitter: Submitter
  readonly #deletion: Deletion
  readonly #pending: Pending
  readonly #leftovers: Leftovers
  readonly #secondTasks: SecondTasks
  /** What can't be read of the pending tasks, and of the claimed ones. */
  readonly #unreadable: Unreadable
  readonly #unreadableClaims = new Unreadable()
  readonly #onCorrupt: (error: CorruptDocumentError) => void

  constructor(store: Store, { onWarning, contents, clock }: RepositoryOptions) {
    const checkContent = (task: StoredTask) => contents.check(task)
    const definition = { noun: 'task', prefix: taskPrefix, indexes: [...indexes, byKey] }
    const codec = taskCodec(checkContent)
    this.#onCorrupt = (error) => onWarning(error.what)
    this.all = new Collection(store, { ...definition, codec }, { onCorrupt: this.#onCorrupt })
    this.#sealed = new Collection(store, { ...definition, codec: taskCodec() })
    const keyless = new Collection(store, { ...definition, codec, indexes })
    this.#store = store
    this.#submitter = new Submitter(store, { all: this.all, keyless })
    this.#pending = Pending.of(store)
    this.#unreadable = this.#pending.readerOf(contents.schema)
    this.#leftovers = new Leftovers(store, this.#sealed.definition, clock)
    this.#secondTasks = new SecondTasks(store, this.#sealed)
    this.#deletion = new Deletion(store, this.#sealed, checkContent)
  }

  submit(tasks: readonly NewTask[], signal?: AbortSignal): Promise<Submitted[]> {
    return this.#submitter.submit(tasks, signal)
  }

  /** Throws {@link TaskNotFoundError}. */
  async get(id: string): Promise<StoredTask> {
    const document = isId(id) ? await this.all.get(id) : null
    if (document === null) throw notFound(id)
    return document.value
  }

  /** Throws {@link TaskNotFoundError}, also where a crash left a key without its task. */
  async getByKey(key: string): Promise<StoredTask> {
    const entry = await this.#store.get(idemKeyOf(key))
    const document = entry && (await this.all.get(checkedIdIn(entry)))
    if (document === null) throw new TaskNotFoundError(`idempotency key ${shown(key)}`)
    checkSameKey(document.value, key)
    return document.value
  }

  /** The task after a change. Throws {@link TaskNotFoundError}, and whatever `next` refuses with. */
  async change(id: string, next: NextTask): Promise<StoredTask> {
    const outcome = isId(id) ? await this.all.change(id, next) : null
    if (outcome === null) throw notFound(id)
    this.#offer(outcome)
    return outcome.after
  }

  /** Changes the oldest pending task that can be had; null only where nothing is pending that can be read. */
  claimNext(next: NextTask, signal?: AbortSignal): Promise<StoredTask | null> {
    const claim = (id: string, place: string, head: Head) =>
      this.#claimPending(id, { place, head }, next)
    return this.#pending.claimNext(claim, this.#unreadable, signal)
  }

  async #claimPending(id: string, seen: { place: string; head: Head }, next: NextTask) {
    let wasPending = false
    try {
      const outcome = await this.all.change(id, (task) => {
        // The entry of a submission that was given up is older than the task that another brought under its id.
        if (task.status !== 'pending' || placeOf(task) !== seen.place) throw notPending
        wasPending = true
        return next(task)
      })
      if (outcome) return outcome.after
      return (await this.#leftovers.sweepPending(id, { ...seen, isThere: false })) ? nothing : taken
    } catch (error) {
      if (error === notPending)
        return !wasPending && (await this.#leftovers.sweepPending(id, { ...seen, isThere: true }))
          ? nothing
          : taken
      // Only another program leaves a task pending that has had all its attempts; or it is just being deleted.
      if (error instanceof MaxAttemptsReachedError || error instanceof TaskNotFoundError)
        return unreadable
      this.#tell(error)
      return unreadable
    }
  }

  /** A page by creation. What can't be read is told of and left out. */
  async page(
    status: TaskStatus | null,
    { limit, cursor }: { limit: number; cursor: string | null },
  ): Promise<TaskPage> {
    const prefix = status === null ? createdPrefix : `${statusPrefix}/${status}`
    const areClaims = status === 'claimed'
    const tasks: StoredTask[] = []
    const told = new Set<string>()
    let after = cursor === null ? undefined : `${prefix}/${cursor}`
    for (;;) {
      const wanted = limit - tasks.length
      // One more tells whether there is another page.
      const heads = await this.#heads(prefix, { after, limit: wanted + 1 })
      const keys = heads.slice(0, wanted).map(({ key }) => key)
      const places = keys.map((key) => key.slice(prefix.length + 1))
      // A claim that is stamped again while this reads has another entry, which may never be seen here.
      const created = new Set(areClaims ? places.map(unclaimedPlaceOf) : places)
      for (const task of await this.#readable(places, areClaims)) {
        // An entry that a crash has left, or that has just gone, is not the task's.
        const isCurrent = status === null || task.status === status
        if (!isCurrent || !created.has(placeOf(task)) || told.has(task.id)) continue
        told.add(task.id)
        tasks.push(task)
      }
      if (heads.length <= wanted) return { tasks, cursor: null }
      after = keys.at(-1) as string
      if (tasks.length === limit) return { tasks, cursor: after.slice(prefix.length + 1) }
    }
  }

  /** Changes every task whose claim is as old as that; says how many did change. */
  async changeClaimedBefore(
    claimedMs: number,
    next: (task: StoredTask) => StoredTask,
    signal?: AbortSignal,
  ): Promise<number> {
    const prefix = `${statusPrefix}/claimed`
    let changed = 0
    let heads: Head[] = []
    const change = async () => {
      await pooled(heads, async (head) => {
        signal?.throwIfAborted()
        if (await this.#release(head, head.key.slice(prefix.length + 1), next)) changed++
      })
      heads = []
    }
    for await (const head of this.#store.list(prefix)) {
      const claim = claimOfPlace(head.key.slice(prefix.length + 1))
      const isDue = claim !== null && claim.claimedMs <= claimedMs
      if (isDue && !this.#unreadableClaims.has(head)) heads.push(head)
      if (heads.length === releasedAtOnce) await change()
    }
    await change()
    return changed
  }

  /** Deletes a terminal task and frees its key. What can't be read goes as well, unless a state is asked for. */
  async delete(id: string, on: Condition = {}): Promise<void> {
    if (!isId(id) || !(await this.#deletion.delete(id, on))) throw notFound(id)
  }

  /** Brings keys and indexes to what the tasks say, and deletes second tasks of a key, which count as stale. */
  async repair(options?: RepairOptions): Promise<RepairReport> {
    const first = await this.#repairOnce(options)
    if (options?.dryRun || first.stale === 0) return first
    // A key that stood for nothing, and is gone now, may be what another task lacked.
    const second = await this.#repairOnce(options)
    return {
      ...second,
      missing: first.missing + second.missing,
      stale: first.stale + second.stale,
    }
  }

  #repairOnce(options?: RepairOptions): Promise<RepairReport> {
    return compete('the idempotency keys', async () => {
      try {
        return await this.#repairTelling(options)
      } catch (error) {
        // A key that a task lacked was given to another one meanwhile.
        if (error instanceof KeyTaken) return lost
        throw error
      }
    })
  }

  async #repairTelling(options: RepairOptions = {}): Promise<RepairReport> {
    const taken = new Set<string>()
    const definition = {
      ...this.#sealed.definition,
      indexes: [...indexes, keyIndex((id) => taken.add(id))],
    }
    const report = await new Collection(this.#store, definition).repair(options)
    const removed = await this.#secondTasks.remove([...taken], options)
    return { ...report, stale: report.stale + removed }
  }

  /** Changes the task of a claim; an entry that is not that of its claim goes. */
  async #release(
    head: Head,
    place: string,
    next: (task: StoredTask) => StoredTask,
  ): Promise<boolean> {
    const { id } = claimOfPlace(place) as { id: string }
    try {
      const outcome = await this.#sealed.change(id, next)
      if (outcome !== null && this.#offer(outcome)) return true
      const isHeld = outcome?.after.status === 'claimed' && statusPlaceOf(outcome.after) === place
      if (!isHeld) await this.#leftovers.sweepClaimed(id, place)
    } catch (error) {
      this.#tell(error)
      this.#unreadableClaims.note(head)
    }
    return false
  }

  /** Whether anything has changed. What is pending again is older than most that wait, so their turn is after it. */
  #offer({ before, after }: { before: StoredTask; after: StoredTask }): boolean {
    if (after === before) return false
    if (after.status === 'pending') this.#pending.offer(placeOf(after))
    return true
  }

  async #readable(places: readonly string[], areClaims: boolean): Promise<StoredTask[]> {
    const ids = places.flatMap((place) => {
      const id = areClaims ? claimOfPlace(place)?.id : idOfPlace(place)
      return id ?? []
    })
    return (await this.all.getAll([...new Set(ids)])).map(({ value }) => value)
  }

  async #heads(prefix: string, bounds: { after: string | undefined; limit: number }) {
    const heads: Head[] = []
    for await (const head of this.#store.list(prefix, bounds)) heads.push(head)
    return heads
  }

  /** Passes over what can't be read, and nothing else. */
  #tell(error: unknown): void {
    if (!(error instanceof CorruptDocumentError)) throw error
    this.#onCorrupt(error)
  }
}

const notPending = Symbol('not pending')

const notFound = (id: unknown): TaskNotFoundError =>
  new TaskNotFoundError(`id ${shown(String(id))}`)
