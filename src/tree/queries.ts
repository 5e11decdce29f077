import { inTurns, pooled } from '../collection/index.ts'
import { escapeSegment, eventLoopTurn } from '../store/internal.ts'
import { Ancestry } from './ancestry.ts'
import { checkQuery, type Matches, matchesOf, type TaskQuery } from './filter.ts'
import { lastSegment, prefixes } from './keys.ts'
import type { TreeParts } from './parts.ts'
import { type Link, Places, unreadable } from './places.ts'
import { readReady } from './ready.ts'
import { type Task, type TaskDocument, taskOf } from './task.ts'

/** Some tasks of a list. */
export interface Page {
  /** In the order of the list. */
  readonly tasks: readonly Task[]
  /** How many match, whatever the limit. */
  readonly total: number
}

/** Some of the tasks that somebody can start now. */
export interface ReadyPage {
  /** The most urgent first. */
  readonly tasks: readonly Task[]
  /** Whether there are more after these. */
  readonly hasMore: boolean
  /** How many are ready; only where that was asked for, and null where they are more than were to be counted. */
  readonly total: number | null
}

/** Whether and how far to count what is ready. */
export interface ReadyOptions {
  /** Whether to tell how many there are; that takes looking at them. */
  readonly withTotal?: boolean | undefined
  /** How many to count at most; all if left out. */
  readonly countMax?: number | undefined
}

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
    const ids = await this.#candidates(query)
    if (ids === null) return this.#everything(matches, offset, limit)
    const documents: TaskDocument[] = []
    await inTurns(await this.#parts.tasks.getAll(ids), ({ value }) => {
      if (matches(value)) documents.push(value)
    })
    const found = await this.#present(documents)
    return { tasks: found.slice(offset, offset + limit).map(asTask), total: found.length }
  }

  /** What can be started now: by priority, then by the time of creation. */
  async ready(given: TaskQuery, options: ReadyOptions): Promise<ReadyPage> {
    return readReady(this.#parts, checkQuery(given), options)
  }

  /** What is open, in the same order, whether or not it can be started now. */
  async open(given: TaskQuery): Promise<ReadyPage> {
    return readReady(this.#parts, checkQuery(given), { isAnyOpen: true })
  }

  /** Tasks with their depths, without those that are gone. */
  async #present(documents: readonly TaskDocument[]): Promise<Found[]> {
    const places = await new Ancestry(this.#parts.tasks).placesOf(documents)
    const found: Found[] = []
    await inTurns(documents.entries(), ([at, document]) => {
      const place = places[at]
      if (place?.isThere) found.push({ document, depth: place.depth })
    })
    return found
  }

  /** The ids of what may match, sorted, as an index says; null where none can tell. */
  async #candidates({ parent_id, tag }: TaskQuery): Promise<string[] | null> {
    if (parent_id) return this.#listed(parent_id.map((id) => `${prefixes.children}/${id}`))
    if (!tag) return null
    return this.#listed(tag.map((each) => `${prefixes.tags}/${escapeSegment(each)}`))
  }

  /** The ids below some prefixes. Each prefix gives them in order. */
  async #listed(given: readonly string[]): Promise<string[]> {
    let ids: string[] = []
    for (const prefix of new Set(given)) {
      const more: string[] = []
      for await (const { key } of this.#parts.store.list(prefix)) more.push(lastSegment(key))
      ids = await merged(ids, more)
    }
    return ids
  }

  /** Looks at all tasks, and keeps of each only what tells whether it is there. */
  async #everything(matches: Matches, offset: number, limit: number): Promise<Page> {
    const { tasks } = this.#parts
    const links = new Map<string, Link | typeof unreadable>()
    const matching: string[] = []
    for await (const { id, value } of tasks.scan()) {
      const { parent_id, status, doomed } = value
      links.set(id, { parent_id, status, doomed })
      if (matches(value)) matching.push(id)
    }
    await this.#addMissing(links)
    const places = new Places((id) => links.get(id))
    const there: string[] = []
    for (const id of matching) {
      const turn = eventLoopTurn()
      if (turn) await turn
      if ((await places.of(id)).isThere) there.push(id)
    }
    const page = await tasks.getAll(there.slice(offset, offset + limit))
    const shown = await this.#present(page.map(({ value }) => value).filter(matches))
    return { tasks: shown.map(asTask), total: there.length }
  }

  /** Parents that the scan did not give: what can't be read ends the chain, as it does elsewhere. */
  async #addMissing(links: Map<string, Link | typeof unreadable>): Promise<void> {
    const missing = new Set<string>()
    await inTurns(links.values(), (link) => {
      const parent = link === unreadable ? null : link.parent_id
      if (parent !== null && !links.has(parent)) missing.add(parent)
    })
    await pooled([...missing], async (id) => {
      const entry = await this.#parts.store.get(`${prefixes.tasks}/${id}`)
      const [document] = await this.#parts.tasks.getAll([id])
      if (entry) links.set(id, document?.value ?? unreadable)
    })
  }
}

interface Found {
  readonly document: TaskDocument
  readonly depth: number
}

const asTask = ({ document, depth }: Found): Task => taskOf(document, depth)

/** Two sorted lists as one, each id once. Sorting very many at once would hold up everybody else. */
async function merged(a: readonly string[], b: string[]): Promise<string[]> {
  if (a.length === 0) return b
  const ids: string[] = []
  let at = 0
  await inTurns(b, (id) => {
    for (let next = a[at]; next !== undefined && next <= id; next = a[++at])
      if (next !== id) ids.push(next)
    ids.push(id)
  })
  return [...ids, ...a.slice(at)]
}
