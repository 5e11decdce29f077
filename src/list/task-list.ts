import {
  Collection,
  type Condition,
  CorruptDocumentError,
  type DocumentEvent,
  type RepairOptions,
  SetIndex,
  SteadyTime,
  setBackWarning,
} from '../collection/index.ts'
import { checkedOptions, type Store } from '../store/internal.ts'
import { AmbiguousPrefixError, TaskNotFoundError } from './error.ts'
import { checkCondition, checkEdit, checkQuery, checkRepair, checkStarts } from './given.ts'
import { checkPrefix, idLength } from './id.ts'
import { checkState } from './state.ts'
import { checkTags } from './tags.ts'
import {
  edited,
  inOrder,
  matches,
  type Task,
  type TaskEdit,
  type TaskFilter,
  taskCodec,
} from './task.ts'
import { checkText } from './text.ts'

/** How a list works; all of it may be left out. */
export interface TaskListOptions {
  /** Told in a sentence of every stored task that can't be read, and that a list therefore leaves out. */
  readonly onWarning?: ((warning: string) => void) | undefined
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
}

/** Which tasks to give, and how many. */
export interface TaskQuery extends TaskFilter {
  /** At most so many; all where it is left out. */
  readonly limit?: number | undefined
}

/** What a rebuild found and mended. */
export interface RebuildReport {
  /** How many tasks there are. */
  readonly tasks: number
  /** How many tags there are. */
  readonly tags: number
  /** How many ids were added to the lists of tags. */
  readonly added: number
  /** How many ids were removed from the lists of tags. */
  readonly removed: number
  /** The ids of tasks that can't be read. */
  readonly corrupt: readonly string[]
}

/** Where the tasks lie. */
export const tasksPrefix = 'utask_tasks'

// A namespace of its own, so on NATS a task and its tag lists are not one commit.
const byTag = new SetIndex<Task>({ prefix: 'utask_tags', sets: ({ tags }) => tags })

/**
 * A list of tasks with tags. Everybody who opens the same store shares it. Every refusal is a `Refusal` and has
 * changed nothing; failures of the store are `StoreError`s.
 *
 * @example
 * ```js
 * import { TaskList } from 'holdfast/list'
 * import { openStore } from 'holdfast/store'
 *
 * const store = await openStore('memory:')
 * const tasks = new TaskList(store)
 * const { id } = await tasks.add('Buy milk', ['errand'])
 * await tasks.update(id, { done: true })
 * console.log((await tasks.query({ any: ['errand'], done: true })).length) // 1
 * await store[Symbol.asyncDispose]()
 * ```
 */
export class TaskList {
  readonly #store: Store
  readonly #tasks: Collection<Task>
  readonly #now: () => number
  readonly #steady: SteadyTime
  #lastMs = 0

  constructor(store: Store, options: TaskListOptions = {}) {
    const { onWarning, now = Date.now } = checkedOptions(store, options)
    const definition = { noun: 'task', prefix: tasksPrefix, codec: taskCodec, indexes: [byTag] }
    this.#store = store
    this.#tasks = new Collection(store, definition, {
      onCorrupt: onWarning && ((error) => onWarning(error.message)),
    })
    this.#now = now
    const warn = setBackWarning(store, onWarning)
    this.#steady = new SteadyTime((setBack) => {
      this.#lastMs = 0
      warn(setBack)
    })
  }

  /**
   * Adds a task and gives it, with its id.
   *
   * @throws {@link InvalidTaskError} for a text or tag that can't be one.
   */
  async add(text: string, tags: readonly string[] = []): Promise<Task> {
    const checked = { text: checkText(text), done: false, tags: checkTags(tags) }
    // Only adding needs them, and programs start faster without.
    const { idsFor, idsMax, macAddress } = await import('./new-ids.ts')
    const createdMs = this.#nextMs()
    const created = new Date(createdMs).toISOString()
    for (const id of idsFor({ createdMs, created, text: checked.text, mac: macAddress() })) {
      const task = { id, ...checked, created }
      if (await this.#tasks.create(id, task, { isExact: true })) return task
    }
    throw new Error(`${idsMax} ids in a row were taken, which chance does not do.`)
  }

  /**
   * The task with this id, or the one whose id starts so.
   *
   * @throws {@link TaskNotFoundError}, {@link AmbiguousPrefixError}, or {@link CorruptDocumentError} where it can't
   * be read.
   */
  async get(idOrPrefix: string): Promise<Task> {
    const id = await this.#idOf(idOrPrefix)
    const document = await this.#tasks.get(id)
    if (!document) throw new TaskNotFoundError(id)
    return document.value
  }

  /**
   * Changes a task and gives it as it is then.
   *
   * @throws {@link TaskNotFoundError} or {@link AmbiguousPrefixError} where the id is nobody's or several tasks',
   * {@link InvalidTaskError} for a text or tag that can't be one.
   */
  async update(idOrPrefix: string, edit: TaskEdit = {}, on: Condition = {}): Promise<Task> {
    return (await this.edit(idOrPrefix, edit, on)).task
  }

  /** As {@link TaskList.update}, and says whether that changed anything, and what the task was before. */
  async edit(
    idOrPrefix: string,
    edit: TaskEdit,
    on: Condition = {},
  ): Promise<{ task: Task; changed: boolean; before: Task }> {
    const checked = checkEdit(edit)
    const condition = checkCondition(on)
    const id = await this.#idOf(idOrPrefix)
    const next = (task: Task) => {
      checkState(task, condition)
      return edited(task, checked)
    }
    const outcome = await this.#tasks.change(id, next, { isExact: true })
    if (!outcome) throw new TaskNotFoundError(id)
    const { before, after } = outcome
    return { task: after, changed: after !== before, before }
  }

  /** Deletes a task and answers with its id. One that can't be read goes by its full id only. */
  async delete(idOrPrefix: string, on: Condition = {}): Promise<string> {
    const condition = checkCondition(on)
    const id = await this.#idOf(idOrPrefix)
    try {
      const deleted = await this.#tasks.delete(id, (task) => checkState(task, condition))
      if (deleted === null) throw new TaskNotFoundError(id)
    } catch (error) {
      const isFullId = checkPrefix(idOrPrefix) === id
      if (!(error instanceof CorruptDocumentError && isFullId)) throw error
      await this.#tasks.discard(id)
    }
    return id
  }

  /** Tasks by time, then by id. */
  async query(query: TaskQuery = {}): Promise<Task[]> {
    const { filter, limit } = checkQuery(query)
    const tasks = (await this.#candidates(filter)).filter((task) => matches(task, filter))
    return (await inOrder(tasks)).slice(0, limit)
  }

  /**
   * The id that starts so.
   *
   * @throws {@link TaskNotFoundError} where there is none, {@link AmbiguousPrefixError} where there are several.
   */
  async resolve(prefix: string): Promise<string> {
    const checked = checkPrefix(prefix)
    const { count, ids } = await this.#tasks.resolve(checked, idLength)
    if (count > 1) throw new AmbiguousPrefixError(checked, ids, count)
    if (ids[0] === undefined) throw new TaskNotFoundError(checked)
    return ids[0]
  }

  /** The ids of all tasks that begin with the same digits as one of these, these among them. */
  async alike(ids: readonly string[], digits: number): Promise<string[]> {
    const found: string[] = []
    for (const start of checkStarts(ids, digits))
      for await (const id of this.#tasks.longerThan(start)) found.push(id)
    return found
  }

  /** All tags, sorted, and how many tasks the list of each names; a crash may have left one too many there. */
  async tags(): Promise<{ tag: string; count: number }[]> {
    const sizes = await byTag.sizes(this.#store)
    return [...sizes]
      .map(([tag, count]) => ({ tag, count }))
      .sort((a, b) => (a.tag < b.tag ? -1 : 1))
  }

  /** Hints of what may have changed, until the signal is aborted; the first says that anything may. */
  changes(signal?: AbortSignal): AsyncGenerator<DocumentEvent> {
    return this.#tasks.watch(signal)
  }

  /** Brings the lists of tags to what the tasks say, or with `dryRun` only counts what is not so. */
  async rebuildIndex(options: RepairOptions = {}): Promise<RebuildReport> {
    const { documents, corrupt, missing, stale } = await this.#tasks.repair(checkRepair(options))
    const { size } = await byTag.sizes(this.#store)
    return { tasks: documents, tags: size, added: missing, removed: stale, corrupt }
  }

  /** A whole id needs no search: whether it is there shows when it is used. */
  async #idOf(idOrPrefix: string): Promise<string> {
    const checked = checkPrefix(idOrPrefix)
    return checked.length === idLength ? checked : this.resolve(checked)
  }

  /** All tasks that may match: by the lists of tags where there are any to go by. */
  async #candidates({ any = [], all = [] }: TaskFilter): Promise<Task[]> {
    if (any.length === 0 && all.length === 0) return this.#everything()
    const members = (tags: readonly string[]) =>
      Promise.all(tags.map((tag) => byTag.members(this.#store, tag)))
    const [anySets, allSets] = await Promise.all([members(any), members(all)])
    const union = anySets.length === 0 ? [] : [new Set(anySets.flatMap((set) => [...set]))]
    const [smallest, ...rest] = [...allSets, ...union].sort((a, b) => a.size - b.size)
    const ids = [...(smallest ?? [])].filter((id) => rest.every((set) => set.has(id)))
    return (await this.#tasks.getAll(ids)).map(({ value }) => value)
  }

  async #everything(): Promise<Task[]> {
    const tasks: Task[] = []
    for await (const { value } of this.#tasks.scan()) tasks.push(value)
    return tasks
  }

  /** Never the same twice, so that tasks added in a row list in that order. */
  #nextMs(): number {
    this.#lastMs = Math.max(this.#steady.next(this.#now()), this.#lastMs + 1)
    return this.#lastMs
  }
}
