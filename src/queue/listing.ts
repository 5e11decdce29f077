import { type Document, shown } from '../collection/index.ts'
import type { Stored } from './document.ts'
import { InvalidTaskError } from './error.ts'
import { shards } from './fields.ts'
import { idPattern } from './id.ts'
import { IndexNames, idOfRank, type Names, rankOf } from './index-names.ts'
import { leasesPrefix, readyPrefix, taskPath, tasksPrefix } from './keys.ts'
import type { Repository } from './repository.ts'
import type { Json, Task, TaskStatus } from './task.ts'
import { Unindexed } from './unindexed.ts'

/** Which tasks to give; what is left out holds for all. */
export interface ListFilter {
  /** Only those with this status. */
  readonly status?: TaskStatus | undefined
  /** Only those of this type. */
  readonly type?: string | undefined
  /** Only those of this shard. */
  readonly shard?: string | undefined
  /** Archived ones too; without it they are shown only by their status. */
  readonly all?: boolean | undefined
  /** Somewhere in its id, type, worker, key, error, input or output, in whatever case. */
  readonly text?: string | undefined
}

/** Which tasks to give, and which part of a long list. */
export interface ListOptions extends ListFilter {
  /** 1 to 1000; 50 where it is left out. */
  readonly limit?: number | undefined
  /** Of the page before; null or left out for the first one. */
  readonly cursor?: string | null | undefined
  /** How many tasks to look at, about; a page may then be short, or empty, though its cursor leads on. */
  readonly readMax?: number | undefined
  /** Whether to leave out pending and running tasks that their index does not name, as other tools may write them. */
  readonly isIndexTrusted?: boolean | undefined
}

/** How much of a list to give, and from where. */
interface PageBounds {
  readonly limit: number
  readonly cursor: string | null
  /** After so many tasks that do not match the page ends, and the next one goes on from there. */
  readonly readMax?: number | undefined
  /** Whether to leave out pending and running tasks that their index does not name. */
  readonly isIndexTrusted?: boolean | undefined
}

/** Some tasks, and where to go on. */
export interface TaskPage {
  /** Newest first. */
  readonly tasks: readonly Task[]
  /** Where the next page begins; null where there is none. */
  readonly cursor: string | null
  /**
   * Whether all pending or running tasks that have an index entry were given: further pages only look through the
   * others for what the index misses.
   */
  readonly isThroughIndex?: true
}

/** How many documents are read at a time, at most: few where few are wanted. */
const readAtOnceMax = 256
const readAtOnceMin = 16
/** How many tasks without an entry in their index one page looks for, at most. */
const unindexedMax = 1_000

/** Sorts after every character that an id may have. */
const last = '\u{10FFFF}'

/** What a cursor begins with behind all that the index names: then comes the id that was looked at last. */
const restMark = 'rest-'

const indexOf = (status: TaskStatus | undefined): string | null =>
  status === 'pending' ? readyPrefix : status === 'running' ? leasesPrefix : null

/**
 * Tasks newest first, a page at a time. Pending and running ones are read by what their indexes name, so those that
 * have ended cost nothing. An index may miss some that other tools wrote: a page that has come to its end goes on to
 * the other tasks, of which it looks at a bounded number.
 */
export class Listing {
  readonly #repository: Repository
  readonly #names: IndexNames
  readonly #unindexed: Unindexed

  constructor(repository: Repository) {
    this.#repository = repository
    this.#names = new IndexNames(repository.store)
    this.#unindexed = new Unindexed(repository.store)
  }

  async page(filter: ListFilter, bounds: PageBounds): Promise<TaskPage> {
    const prefix = indexOf(filter.status)
    const { before, rest } = placeIn(bounds.cursor, prefix !== null)
    const filling = new Filling(this.#repository, filter, bounds)
    const wanted = filter.shard === undefined ? shards : [filter.shard]
    if (prefix === null) {
      for await (const ids of chunked(this.#merged(wanted, before), filling.atOnce)) {
        await filling.take(ids, rankOf)
        if (filling.isOver) break
      }
      return filling.page
    }
    const names = await this.#names.of(prefix, filter.shard, bounds.cursor === null)
    if (rest === null) await this.#named(names, before, filling)
    if (filling.isOver || bounds.isIndexTrusted) return filling.page
    const status = filter.status as TaskStatus
    await this.#rest({ status, shards: wanted, names }, rest, filling)
    return { ...filling.page, isThroughIndex: true }
  }

  async #named(names: Names, before: string | null, filling: Filling): Promise<void> {
    for (let from = before; ; ) {
      const picked = names.newest(from)
      if (picked.length === 0) return
      for (let at = 0; at < picked.length; at += filling.atOnce) {
        await filling.take(picked.slice(at, at + filling.atOnce), rankOf)
        if (filling.isOver) return
      }
      from = rankOf(picked.at(-1) as string)
    }
  }

  async #rest(
    where: Parameters<Unindexed['step']>[0],
    after: string | null,
    filling: Filling,
  ): Promise<void> {
    const max = Math.min(unindexedMax, filling.left)
    const { ids, last: end } = await this.#unindexed.step(where, after, max)
    for (let at = 0; at < ids.length && !filling.isOver; at += readAtOnceMax) {
      const chunk = ids.slice(at, at + readAtOnceMax)
      this.#unindexed.note(await filling.take(chunk, (id) => restMark + id))
    }
    if (end !== null) filling.end(restMark + end)
  }

  /** The ids of several shards as one descending row. */
  async *#merged(wanted: readonly string[], before: string | null): AsyncGenerator<string> {
    const rows = await Promise.all(
      wanted.map(async (shard) => {
        const ids = this.#descending(shard, before)
        return { ids, next: await ids.next() }
      }),
    )
    try {
      for (;;) {
        let best: (typeof rows)[number] | null = null
        for (const row of rows)
          if (!row.next.done && (best === null || rankOf(row.next.value) > rankOf(best.next.value)))
            best = row
        if (best === null) return
        yield best.next.value as string
        best.next = await best.ids.next()
      }
    } finally {
      await Promise.all(rows.map(({ ids }) => ids.return(undefined)))
    }
  }

  async *#descending(shard: string, before: string | null): AsyncGenerator<string> {
    const prefix = `${tasksPrefix}/${shard}`
    const own = before === null ? null : `${shard}${idOfRank(before).slice(1)}`
    // In a shard before that of the cursor, an id with the same rest comes after it.
    const isIncluded = before !== null && shard < before.slice(-1)
    const bound = own === null ? undefined : `${prefix}/${own}.json${isIncluded ? last : ''}`
    for await (const { key } of this.#repository.store.list(prefix, {
      reverse: true,
      before: bound,
    })) {
      const id = taskPath.idOf(key.slice(tasksPrefix.length + 1))
      if (id !== null) yield id
    }
  }
}

/** Where a page begins: after a rank, or, where there is an index, with what that does not name after an id. */
function placeIn(cursor: string | null, hasIndex: boolean) {
  if (cursor === null) return { before: null, rest: null }
  if (typeof cursor === 'string') {
    const rest = cursor.startsWith(restMark) ? cursor.slice(restMark.length) : null
    if (rest !== null && hasIndex && idPattern.test(rest)) return { before: null, rest }
    if (idPattern.test(idOfRank(cursor))) return { before: cursor, rest: null }
  }
  throw new InvalidTaskError(`Not a cursor: ${shown(cursor)}.`, 'Give that of the page before.')
}

/** A page on its way: it takes ids, reads their tasks, and keeps those that match. */
class Filling {
  /** How many ids to give at a time. */
  readonly atOnce: number
  readonly #repository: Repository
  readonly #filter: ListFilter
  readonly #limit: number
  readonly #tasks: Task[] = []
  #left: number
  #cut: string | null = null
  /** Where the task stands that was kept last. */
  #place = ''

  constructor(repository: Repository, filter: ListFilter, { limit, readMax }: PageBounds) {
    this.#repository = repository
    this.#filter = filter
    this.#limit = limit
    this.#left = readMax ?? Number.POSITIVE_INFINITY
    this.atOnce = Math.min(readAtOnceMax, Math.max(readAtOnceMin, limit + 1), this.#left)
  }

  get isOver(): boolean {
    return this.#cut !== null
  }

  /** How many more may be read. */
  get left(): number {
    return this.#left
  }

  get page(): TaskPage {
    return { tasks: this.#tasks.sort(byCreation), cursor: this.#cut }
  }

  /** Answers with all that it has read. `placeOf` says where the next page goes on after a task. */
  async take(ids: readonly string[], placeOf: (id: string) => string): Promise<Document<Stored>[]> {
    const documents = await this.#repository.tasks.getAll(ids)
    for (const { id, value } of documents) {
      if (!matches(value.task, this.#filter)) continue
      // One more tells that there is another page.
      if (this.#tasks.length === this.#limit) {
        this.end(this.#place)
        break
      }
      this.#tasks.push(value.task)
      this.#place = placeOf(id)
    }
    this.#left -= ids.length
    if (this.#left <= 0) this.end(placeOf(ids.at(-1) as string))
    return documents
  }

  /** The next page goes on after this place, unless it does earlier. */
  end(place: string): void {
    this.#cut ??= place
  }
}

/** Whether a list with this filter shows a task. */
function matches(task: Task, { status, type, shard, all = false, text }: ListFilter): boolean {
  if (type !== undefined && task.task_type !== type) return false
  if (shard !== undefined && task.shard !== shard) return false
  if (status === undefined ? !all && task.status === 'archived' : task.status !== status)
    return false
  return text === undefined || wordsOf(task).includes(text.toLowerCase())
}

/** All that a person may look for in a task, in lower case. */
function wordsOf(task: Task): string {
  const { id, task_type, worker_id, idempotency_key, last_error, input, output } = task
  const contents = [input, output].map((content) => (content === null ? '' : jsonOf(content)))
  return [id, task_type, worker_id, idempotency_key, last_error, ...contents]
    .join('\n')
    .toLowerCase()
}

/** What another tool has nested too deeply to be written again is not looked into. */
function jsonOf(content: Json): string {
  try {
    return JSON.stringify(content)
  } catch {
    return ''
  }
}

const byCreation = (a: Task, b: Task): number =>
  Date.parse(b.created_at) - Date.parse(a.created_at) || (rankOf(a.id) < rankOf(b.id) ? 1 : -1)

async function* chunked<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let chunk: T[] = []
  for await (const item of items) {
    chunk.push(item)
    if (chunk.length < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
