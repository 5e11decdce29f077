import { type DocumentEvent, inTurns } from '../collection/index.ts'
import { checkOptions } from './checks.ts'
import { AmbiguousIdError, InvalidTaskError, TaskNotFoundError } from './error.ts'
import { TaskFeed } from './feed.ts'
import { historyFields } from './fields.ts'
import type { TaskQuery } from './filter.ts'
import { changesOf, creationOf, entriesOf, type HistoryEntry } from './history.ts'
import { checkId, checkIdPrefix, idLength } from './id.ts'
import type { TreeParts } from './parts.ts'
import { type Page, Queries, type ReadyOptions, type ReadyPage } from './queries.ts'
import { Readings, type TaskReading } from './readings.ts'
import {
  nestedSubtree,
  readSubtree,
  type SubtreeListOptions,
  type SubtreeOptions,
  type SubtreePage,
  type TaskNode,
} from './subtree.ts'
import { type Task, taskOf } from './task.ts'

/** The side of a tree that changes nothing. */
export class TreeReader {
  readonly #parts: TreeParts
  readonly #queries: Queries
  readonly #readings: Readings

  constructor(parts: TreeParts) {
    this.#parts = parts
    this.#queries = new Queries(parts)
    this.#readings = new Readings(parts.store, parts.tasks)
  }

  /**
   * The task with this id.
   *
   * @throws {@link TaskNotFoundError} where there is none, {@link InvalidTaskError} where it is no id,
   * {@link CorruptDocumentError} where it can't be read.
   */
  async get(id: string): Promise<Task> {
    return (await this.getVersion(id)).task
  }

  /** A task, and a number that grows with each change of it. */
  async getVersion(id: string): Promise<{ task: Task; version: number }> {
    const { document, ancestors } = await this.#parts.writes.present(checkId(id))
    return { task: taskOf(document, ancestors.length), version: document.change.n }
  }

  /** The same as JSON, for those who pass it on. */
  async read(id: string): Promise<TaskReading> {
    return this.#readings.read(checkId(id))
  }

  /**
   * What {@link TreeReader.read} would answer, where it has answered so before and nothing has changed since, without
   * waiting; null where that is not known at once.
   */
  readAgain(id: string): TaskReading | null {
    return this.#readings.again(id)
  }

  /**
   * The id that starts so.
   *
   * @throws {@link TaskNotFoundError} where there is none, {@link AmbiguousIdError} where there are several.
   */
  async resolve(prefix: string): Promise<string> {
    const checked = checkIdPrefix(prefix)
    const { count, ids } = await this.#parts.tasks.resolve(checked, idLength)
    if (count > 1) throw new AmbiguousIdError(checked, ids, count)
    if (ids[0] === undefined) throw new TaskNotFoundError(checked)
    return ids[0]
  }

  /** The tasks that a query asks for, oldest first, and how many there are in all. */
  async list(query: TaskQuery = {}): Promise<Page> {
    return this.#queries.list(query)
  }

  /**
   * What somebody can start now, by priority, then by time of creation: open, with all children closed, and below nothing
   * that is blocked or closed.
   */
  async ready(query: TaskQuery = {}, options: ReadyOptions = {}): Promise<ReadyPage> {
    return this.#queries.ready(query, checkOptions(options))
  }

  /** What is open, by priority, then by time of creation, whether or not somebody can start it now. */
  async open(query: TaskQuery = {}): Promise<ReadyPage> {
    return this.#queries.open(query)
  }

  /**
   * A task and what is below it, within each other. Of a very deep tree take the list: what goes through such an
   * object by recursion, as `JSON.stringify` does, runs out of stack at some thousand levels.
   */
  async subtree(id: string, options: SubtreeOptions = {}): Promise<TaskNode> {
    const { includeDeleted, depth, limit } = checkOptions(options)
    return nestedSubtree((await this.subtreeList(id, { includeDeleted, depth, limit })).tasks)
  }

  /** The same as a list: level by level, the task itself first. */
  async subtreeList(id: string, options: SubtreeListOptions = {}): Promise<SubtreePage> {
    const root = async () => {
      const { document, ancestors } = await this.#parts.writes.present(checkId(id))
      return { document, depth: ancestors.length }
    }
    return readSubtree(this.#parts.shape, root, checkOptions(options))
  }

  /** From the parent to the root. */
  async ancestors(id: string): Promise<Task[]> {
    const { ancestors } = await this.#parts.writes.present(checkId(id))
    return ancestors.map((task, at) => taskOf(task, ancestors.length - 1 - at))
  }

  /** In the order of their creation. */
  async children(id: string, options: { includeDeleted?: boolean } = {}): Promise<Task[]> {
    const { includeDeleted = false } = checkOptions(options)
    const { document, ancestors } = await this.#parts.writes.present(checkId(id))
    const children: Task[] = []
    await inTurns(await this.#parts.shape.children(document.id), (child) => {
      if (child.doomed === null && (includeDeleted || child.deleted_at === null))
        children.push(taskOf(child, ancestors.length + 1))
    })
    return children
  }

  /** One entry for each changed field, the newest first; of one field, or since a time, that time included. */
  async history(
    id: string,
    options: { field?: string | undefined; since?: string | undefined } = {},
  ): Promise<HistoryEntry[]> {
    const { field, since } = checkOptions(options)
    if (field !== undefined && !historyFields.includes(field))
      throw badQuery(
        `No field of the history: ${field}.`,
        `Give one of ${historyFields.join(', ')}.`,
      )
    const sinceMs = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since)
    if (Number.isNaN(sinceMs)) throw badQuery('since is no time.', 'Give it as RFC 3339.')
    const { document } = await this.#parts.writes.present(checkId(id))
    const changes = await changesOf(this.#parts.store, document)
    // A deletion takes the history away bit by bit.
    const now = await this.#parts.tasks.get(document.id)
    if (now === null || now.value.doomed !== null) throw new TaskNotFoundError(document.id)
    const entries = changes.toReversed().flatMap((change) => entriesOf(document.id, change))
    return [...entries, ...creationOf(document)]
      .filter((entry) => field === undefined || entry.field === field)
      .filter((entry) => Date.parse(entry.changed_at) >= sinceMs)
  }

  /** Hints of what may have changed, until the signal is aborted; the first says that anything may. */
  changes(signal?: AbortSignal): AsyncGenerator<DocumentEvent> {
    return this.#parts.tasks.watch(signal)
  }

  /** What happens to the tasks, as events that can be asked for again. */
  feed(): TaskFeed {
    return new TaskFeed(this.#parts.store, this.#parts.tasks)
  }
}

const badQuery = (what: string, next: string): InvalidTaskError =>
  new InvalidTaskError('INVALID_QUERY', what, next)
