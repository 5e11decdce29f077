import {
  Collection,
  CorruptDocumentError,
  commitInOrder,
  pooled,
  type RepairOptions,
  type RepairReport,
  shown,
} from '../collection/index.ts'
import { compete, type Head, lost, remove, type Store } from '../store/index.ts'
import { MaxAttemptsReachedError, TaskNotFoundError } from './error.ts'
import { byCreation, byKey, byStatus, idIn, KeyTaken } from './indexes.ts'
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
} from './keys.ts'
import { Pending, taken, unreadable } from './pending.ts'
import { apply } from './rules.ts'
import { checkedIdIn, checkSameKey, type NewTask, Submitter } from './submission.ts'
import { type StoredTask, type TaskStatus, taskCodec } from './task.ts'

export interface RepositoryOptions {
  /** Told in a sentence of every stored task that can't be read, and is passed over. */
  readonly onWarning: (warning: string) => void
  /** Throws where what a task contains is not what its users expect. */
  readonly checkContent: (task: StoredTask) => void
}

export interface TaskPage {
  readonly tasks: readonly StoredTask[]
  /** Where the next page begins; null where there is none. */
  readonly cursor: string | null
}

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
  readonly #pending: Pending
  readonly #onCorrupt: (error: CorruptDocumentError) => void

  constructor(store: Store, { onWarning, checkContent }: RepositoryOptions) {
    const definition = { noun: 'task', prefix: taskPrefix, indexes: [...indexes, byKey] }
    const codec = taskCodec(checkContent)
    this.#onCorrupt = (error) => onWarning(error.what)
    this.all = new Collection(store, { ...definition, codec }, { onCorrupt: this.#onCorrupt })
    this.#sealed = new Collection(store, { ...definition, codec: taskCodec() })
    const keyless = new Collection(store, { ...definition, codec, indexes })
    this.#store = store
    this.#submitter = new Submitter(store, { all: this.all, keyless })
    this.#pending = Pending.of(store)
  }

  submit(tasks: readonly NewTask[], signal?: AbortSignal): Promise<string[]> {
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
  async change(id: string, next: (task: StoredTask) => StoredTask): Promise<StoredTask> {
    const outcome = isId(id) ? await this.all.change(id, next) : null
    if (outcome === null) throw notFound(id)
    this.#offer(outcome)
    return outcome.after
  }

  /** Changes the oldest pending task that can be had; null only where nothing is pending. */
  claimNext(
    next: (task: StoredTask) => StoredTask,
    signal?: AbortSignal,
  ): Promise<StoredTask | null> {
    return this.#pending.claimNext(async (id) => {
      try {
        const outcome = await this.all.change(id, (task) => {
          if (task.status !== 'pending') throw notPending
          return next(task)
        })
        return outcome ? outcome.after : taken
      } catch (error) {
        if (error === notPending) return taken
        // Only another program leaves a task pending that has had all its attempts.
        if (error instanceof MaxAttemptsReachedError) return unreadable
        this.#tell(error)
        return unreadable
      }
    }, signal)
  }

  /** A page by creation. What can't be read is told of and left out. */
  async page(
    status: TaskStatus | null,
    { limit, cursor }: { limit: number; cursor: string | null },
  ): Promise<TaskPage> {
    const prefix = status === null ? createdPrefix : `${statusPrefix}/${status}`
    const pathOf = status === null ? placeOf : statusPlaceOf
    const tasks: StoredTask[] = []
    let after = cursor === null ? undefined : `${prefix}/${cursor}`
    for (;;) {
      const wanted = limit - tasks.length
      // One more tells whether there is another page.
      const heads = await this.#heads(prefix, { after, limit: wanted + 1 })
      const keys = heads.slice(0, wanted).map(({ key }) => key)
      const places = new Set(keys.map((key) => key.slice(prefix.length + 1)))
      for (const task of await this.#readable([...places], status === 'claimed')) {
        // An entry that a crash has left, or that has just gone, is not the task's.
        const isCurrent = status === null || task.status === status
        if (isCurrent && places.has(pathOf(task))) tasks.push(task)
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
    let ids: string[] = []
    const change = async () => {
      await pooled(ids, async (id) => {
        signal?.throwIfAborted()
        if (await this.#changeIfReadable(id, next)) changed++
      })
      ids = []
    }
    for await (const { key } of this.#store.list(prefix)) {
      const claim = claimOfPlace(key.slice(prefix.length + 1))
      if (claim && claim.claimedMs <= claimedMs) ids.push(claim.id)
      if (ids.length === releasedAtOnce) await change()
    }
    await change()
    return changed
  }

  /** Deletes a terminal task and frees its key. What can't be read goes as well. */
  async delete(id: string): Promise<void> {
    if (!isId(id)) throw notFound(id)
    try {
      await this.#deleteReadable(id)
    } catch (error) {
      if (!(error instanceof CorruptDocumentError)) throw error
      for await (const { id: other, mark } of byKey.standing(this.#store))
        if (other === id) await commitInOrder(this.#store, await mark.drop(this.#store))
      await this.#sealed.discard(id)
    }
  }

  /** Brings keys and indexes to what the tasks say. */
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
        return await this.#sealed.repair(options)
      } catch (error) {
        // A key that a task lacked was given to another one meanwhile.
        if (error instanceof KeyTaken) return lost
        throw error
      }
    })
  }

  /** The key goes first, so that none stands for a task that is gone; in the same commit where there are such. */
  async #deleteReadable(id: string): Promise<void> {
    const isAtomic = this.#store.limits.commitWritesMax > indexes.length + 1
    if (!isAtomic) await this.#freeKey(id)
    const task = await this.#sealed.delete(id, (there) => void apply('delete', there, {}))
    if (task === null) throw notFound(id)
  }

  /** Once its key is free there may be another task with it, so before that the task is past returning. */
  async #freeKey(id: string): Promise<void> {
    const outcome = await this.#sealed.change(id, (task) => {
      const doomed = apply('delete', task, {})
      return task.idempotencyKey === null ? task : doomed
    })
    if (outcome === null) throw notFound(id)
    const { idempotencyKey } = outcome.after
    if (idempotencyKey === null) return
    const key = idemKeyOf(idempotencyKey)
    await compete(key, async () => {
      const entry = await this.#store.get(key)
      if (entry === null || idIn(entry) !== id) return
      return (await commitInOrder(this.#store, [remove(entry)])) ? undefined : lost
    })
  }

  async #changeIfReadable(id: string, next: (task: StoredTask) => StoredTask): Promise<boolean> {
    try {
      const outcome = await this.#sealed.change(id, next)
      return outcome !== null && this.#offer(outcome)
    } catch (error) {
      this.#tell(error)
      return false
    }
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
