import { pooled } from '../collection/index.ts'
import { escapeSegment } from '../store/index.ts'
import { ActiveBelow } from './active.ts'
import { Ancestry } from './ancestry.ts'
import { checkQuery, type Matches, matchesOf, type TaskQuery } from './filter.ts'
import { lastSegment, prefixes } from './keys.ts'
import type { TreeParts } from './parts.ts'
import type { Task, TaskDocument } from './task.ts'

/** Some tasks of a list. */
export interface Page {
  /** In the order of the list. */
  readonly tasks: readonly Task[]
  /** How many match, whatever the limit. */
  readonly total: number
}

/** Some of the tasks that can be claimed. */
export interface ReadyPage {
  /** The most urgent first. */
  readonly tasks: readonly Task[]
  /** Whether there are more after these. */
  readonly hasMore: boolean
  /**
   * How many are ready; only where that was asked for, and not where they are more than were to be counted. With a
   * filter it takes looking at them; without one the index is asked, which after a crash may name one too many.
   */
  readonly total: number | null
}

/** Whether and how far to count what is ready. */
export interface ReadyOptions {
  /** Whether to tell how many there are. */
  readonly withTotal?: boolean | undefined
  /** How many to count at most; all if left out. */
  readonly countMax?: number | undefined
}

/** How many entries of the ready index are looked at together. */
const chunkMin = 32
const chunkMax = 1_000

/** What of a task tells whether it is there. */
type Link = Pick<TaskDocument, 'parent_id' | 'doomed'>

/** Reads tasks by what is asked of them. */
export class Queries {
  readonly #parts: TreeParts

  constructor(parts: TreeParts) {
    this.#parts = parts
  }

  /** Tasks that match, in the order of their creation. */
  async list(given: TaskQuery): Promise<Page> {
    const query = checkQuery(given)
    const { limit, offset } = query as { limit: number; offset: number }
    const matches = matchesOf(query)
    const candidates = await this.#candidates(query)
    if (candidates === null) return this.#everything(matches, offset, limit)
    const found = await this.#present(candidates.filter(matches))
    return { tasks: found.slice(offset, offset + limit), total: found.length }
  }

  /** What can be claimed: by priority, then by the time of creation. */
  async ready(
    given: TaskQuery,
    { withTotal = false, countMax = Number.POSITIVE_INFINITY }: ReadyOptions,
  ): Promise<ReadyPage> {
    const query = checkQuery(given)
    const { limit, offset } = query as { limit: number; offset: number }
    const matches = matchesOf(query)
    const { store, tasks } = this.#parts
    const ancestry = new Ancestry(tasks)
    const active = await ActiveBelow.read(store, tasks, ancestry)
    const readsOn = withTotal && isFiltered(query)
    const wanted = Math.max(offset + limit + 1, readsOn ? countMax + 1 : 0)
    const found = new Map<string, Task>()
    let after: string | undefined
    let isEnd = false
    while (!isEnd && found.size < wanted) {
      const chunk = Math.max(chunkMin, Math.min(wanted - found.size, chunkMax))
      const keys: string[] = []
      for await (const { key } of store.list(prefixes.ready, { after, limit: chunk }))
        keys.push(key)
      const free = keys.filter((key) => active.below(lastSegment(key)) === null)
      const chosen = await this.#readyOf(free, matches)
      const shown = await pooled(chosen, (task) => ancestry.taskOf(task))
      // What changes its priority meanwhile may be met twice.
      for (const task of shown) if (task && !found.has(task.id)) found.set(task.id, task)
      after = keys.at(-1) ?? after
      isEnd = keys.length < chunk
    }
    const page = [...found.values()].slice(offset, offset + limit)
    const hasMore = found.size > offset + limit
    if (!withTotal) return { tasks: page, hasMore, total: null }
    if (isEnd) return { tasks: page, hasMore, total: found.size }
    const restMax = countMax - found.size
    const rest = readsOn || restMax < 0 ? null : await this.#freeAfter(after, active, restMax)
    return { tasks: page, hasMore, total: rest === null ? null : found.size + rest }
  }

  /** How many more the index of what is ready names; null where those are more than that. */
  async #freeAfter(
    after: string | undefined,
    active: ActiveBelow,
    countMax: number,
  ): Promise<number | null> {
    let count = 0
    for await (const { key } of this.#parts.store.list(prefixes.ready, { after })) {
      if (active.below(lastSegment(key)) === null) count++
      if (count > countMax) return null
    }
    return count
  }

  /** Tasks as users see them, without those that are gone. */
  async #present(documents: readonly TaskDocument[]): Promise<Task[]> {
    const ancestry = new Ancestry(this.#parts.tasks, documents)
    const found = await pooled(documents, (document) => ancestry.taskOf(document))
    return found.filter((task) => task !== null)
  }

  /** Those of the tasks at these keys of the index that are what it says, and match. */
  async #readyOf(keys: readonly string[], matches: Matches): Promise<TaskDocument[]> {
    const documents = await this.#parts.tasks.getAll([...new Set(keys.map(lastSegment))])
    const byKey = new Map(
      documents.map(({ value }) => [`${prefixes.ready}/${value.priority}/${value.id}`, value]),
    )
    return keys
      .flatMap((key) => byKey.get(key) ?? [])
      .filter((task) => task.status === 'open' && task.deleted_at === null && matches(task))
  }

  /** What may match, by id, as an index says; null where none can tell. */
  async #candidates({ parent_id, tag }: TaskQuery): Promise<TaskDocument[] | null> {
    const { shape, tasks } = this.#parts
    const ids = new Set<string>()
    if (parent_id) {
      const children = await pooled([...new Set(parent_id)], (id) => shape.children(id))
      return children.flat().sort(byId)
    }
    if (!tag) return null
    for (const each of tag) for (const id of await this.#tagged(each)) ids.add(id)
    return (await tasks.getAll([...ids])).map(({ value }) => value).sort(byId)
  }

  async #tagged(tag: string): Promise<string[]> {
    const ids: string[] = []
    const prefix = `${prefixes.tags}/${escapeSegment(tag)}`
    for await (const { key } of this.#parts.store.list(prefix)) ids.push(lastSegment(key))
    return ids
  }

  /** Looks at all tasks, and keeps of each only what tells whether it is there. */
  async #everything(matches: Matches, offset: number, limit: number): Promise<Page> {
    const { tasks } = this.#parts
    const links = new Map<string, Link>()
    const matching: string[] = []
    for await (const { id, value } of tasks.scan()) {
      links.set(id, { parent_id: value.parent_id, doomed: value.doomed })
      if (matches(value)) matching.push(id)
    }
    await this.#addMissing(links)
    const there = matching.filter((id) => isThere(id, links))
    const page = await tasks.getAll(there.slice(offset, offset + limit))
    const shown = await this.#present(page.map(({ value }) => value).filter(matches))
    return { tasks: shown, total: there.length }
  }

  /** Parents that the scan did not give: what can't be read ends the chain, as it does elsewhere. */
  async #addMissing(links: Map<string, Link>): Promise<void> {
    const parents = new Set([...links.values()].map(({ parent_id }) => parent_id))
    const missing = [...parents].filter((id) => id !== null && !links.has(id)) as string[]
    await pooled(missing, async (id) => {
      const entry = await this.#parts.store.get(`${prefixes.tasks}/${id}`)
      const [document] = await this.#parts.tasks.getAll([id])
      if (entry) links.set(id, document?.value ?? { parent_id: null, doomed: null })
    })
  }
}

/** Whether a query asks for more than what is ready. */
const isFiltered = ({
  limit: _,
  offset: __,
  include_deleted: ___,
  ...filter
}: TaskQuery): boolean => Object.values(filter).some((value) => value !== undefined)

/** Whether no task on the way up is doomed or missing. */
function isThere(id: string, links: ReadonlyMap<string, Link>): boolean {
  const seen = new Set<string>()
  for (let at: string | null = id; at !== null && !seen.has(at); ) {
    const link = links.get(at)
    if (!link || link.doomed !== null) return false
    seen.add(at)
    at = link.parent_id
  }
  return true
}

const byId = (a: TaskDocument, b: TaskDocument): number => (a.id < b.id ? -1 : 1)
