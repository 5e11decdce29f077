import { shown } from '../collection/index.ts'
import { InvalidTaskError } from './error.ts'
import { idPattern } from './id.ts'
import { idOfPlace, leasesPrefix, readyPrefix, shards, taskPath, tasksPrefix } from './keys.ts'
import type { Repository } from './repository.ts'
import type { Json, Task, TaskStatus } from './task.ts'

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

/** How much of a list to give, and from where. */
export interface PageBounds {
  readonly limit: number
  readonly cursor: string | null
  /** After so many tasks that do not match the page ends, and the next one goes on from there. */
  readonly readMax?: number | undefined
}

/** Some tasks, and where to go on. */
export interface TaskPage {
  /** Newest first. */
  readonly tasks: readonly Task[]
  /** Where the next page begins; null where there is none. */
  readonly cursor: string | null
}

/** How many documents are read at a time, at most: few where few are wanted. */
const readAtOnceMax = 256
const readAtOnceMin = 16
/** With more entries an index is no short cut any more. */
const indexedMax = 5_000

/** Sorts after every character that an id may have. */
const last = '\u{10FFFF}'

/**
 * Where a task stands in lists: by the time in its id, then by its shard. An id that another tool made is a random
 * place; so within a page tasks are sorted by their creation.
 */
export const rankOf = (id: string): string => id.slice(1) + id.charAt(0)
const idOfRank = (rank: string): string => rank.slice(-1) + rank.slice(0, -1)

/** Tasks newest first, a page at a time. */
export class Listing {
  readonly #repository: Repository

  constructor(repository: Repository) {
    this.#repository = repository
  }

  async page(filter: ListFilter, { limit, cursor, readMax }: PageBounds): Promise<TaskPage> {
    const before = cursor === null ? null : checkCursor(cursor)
    const tasks: Task[] = []
    let cut: string | null = null
    let left = readMax ?? Number.POSITIVE_INFINITY
    const atOnce = Math.min(readAtOnceMax, Math.max(readAtOnceMin, limit + 1))
    for await (const ids of chunked(await this.#ids(filter, before), atOnce)) {
      for (const { value } of await this.#repository.tasks.getAll(ids)) {
        const { task } = value
        if (!matches(task, filter)) continue
        if (tasks.length < limit) tasks.push(task)
        // One more tells that there is another page.
        else cut ??= rankOf((tasks.at(-1) as Task).id)
      }
      left -= ids.length
      if (cut === null && left <= 0) cut = rankOf(ids.at(-1) as string)
      if (cut !== null) break
    }
    return { tasks: tasks.sort(byCreation), cursor: cut }
  }

  async #ids(filter: ListFilter, before: string | null): Promise<AsyncIterable<string>> {
    const { status, shard } = filter
    const indexed =
      status === 'running'
        ? await this.#indexed(leasesPrefix, shard, Number.POSITIVE_INFINITY)
        : status === 'pending'
          ? await this.#indexed(readyPrefix, shard, indexedMax)
          : null
    if (indexed === null) return this.#merged(shard === undefined ? shards : [shard], before)
    const isAfter = (id: string) => before === null || rankOf(id) < before
    return each(indexed.filter(isAfter).sort((a, b) => (rankOf(a) < rankOf(b) ? 1 : -1)))
  }

  /** The ids that an index names, each once; null where they are too many. */
  async #indexed(prefix: string, shard: string | undefined, max: number): Promise<string[] | null> {
    const below = shard === undefined ? prefix : `${prefix}/${shard}`
    const ids = new Set<string>()
    const limit = Number.isFinite(max) ? max + 1 : undefined
    for await (const { key } of this.#repository.store.list(below, { limit })) {
      const id = idOfPlace(key.slice(prefix.length + 1))
      if (id !== null) ids.add(id)
    }
    return ids.size > max ? null : [...ids]
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

/** Throws {@link InvalidTaskError}. */
function checkCursor(cursor: unknown): string {
  if (typeof cursor === 'string' && idPattern.test(idOfRank(cursor))) return cursor
  throw new InvalidTaskError(`Not a cursor: ${shown(cursor)}.`, 'Give that of the page before.')
}

/** Whether a list with this filter shows a task. */
export function matches(
  task: Task,
  { status, type, shard, all = false, text }: ListFilter,
): boolean {
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

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

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
