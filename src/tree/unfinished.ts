import type { Store } from '../store/internal.ts'
import type { Tasks } from './documents.ts'
import { lastSegment, prefixes } from './keys.ts'
import type { TaskDocument } from './task.ts'

/** Whether a task keeps its parent from being started. */
export const isUnfinished = ({ status, deleted_at }: TaskDocument): boolean =>
  status !== 'closed' && deleted_at === null

/** Whether nobody works on a task yet, or has closed or deleted it. */
export const isStartable = (task: TaskDocument | undefined): boolean =>
  task?.status === 'open' && task.claimed_by === null && task.deleted_at === null

/** So many entries are read at once, and for all parents together, before each parent is asked for by itself. */
const listedMax = 1_000
/** How many children are looked at together. Most often the first is enough. */
const lookedAtMax = 32

/**
 * Tells which tasks have unfinished children. It costs what is unfinished: the closed children of a task are not
 * looked at, unless the store comes from a version that had no index of the others.
 */
export class UnfinishedBelow {
  readonly #store: Store
  readonly #tasks: Tasks
  readonly #prefix: string
  /** The entries of all parents, where those are few. */
  readonly #known: ReadonlyMap<string, readonly string[]> | null

  private constructor(
    parts: { store: Store; tasks: Tasks },
    prefix: string,
    known: ReadonlyMap<string, readonly string[]> | null,
  ) {
    this.#store = parts.store
    this.#tasks = parts.tasks
    this.#prefix = prefix
    this.#known = known
  }

  /** `isWhole` says whether the index is. */
  static async read(
    parts: { store: Store; tasks: Tasks },
    isWhole: boolean,
  ): Promise<UnfinishedBelow> {
    if (!isWhole) return new UnfinishedBelow(parts, prefixes.children, null)
    const known = new Map<string, string[]>()
    let count = 0
    for await (const { key } of parts.store.list(prefixes.unfinished, { limit: listedMax })) {
      const [parent, id] = key.slice(prefixes.unfinished.length + 1).split('/') as [string, string]
      const siblings = known.get(parent)
      if (siblings) siblings.push(id)
      else known.set(parent, [id])
      count++
    }
    return new UnfinishedBelow(parts, prefixes.unfinished, count < listedMax ? known : null)
  }

  /** Whether a task that was open when it was read could be started: it had no unfinished child then. */
  async allows(parentId: string): Promise<boolean> {
    const known = this.#known?.get(parentId) ?? []
    if (await this.#isOneUnfinished(parentId, known)) return false
    if (this.#known && known.length === 0) return true
    // Where those that were unfinished are so no more, others may have come in the meantime.
    if (await this.#hasNow(parentId)) return false
    // And who finished the last one may have been later than who claimed the parent.
    return known.length === 0 || isStartable((await this.#tasks.get(parentId))?.value)
  }

  async #hasNow(parentId: string): Promise<boolean> {
    let ids: string[] = []
    for await (const { key } of this.#store.list(`${this.#prefix}/${parentId}`)) {
      ids.push(lastSegment(key))
      if (ids.length < lookedAtMax) continue
      if (await this.#isOneUnfinished(parentId, ids)) return true
      ids = []
    }
    return this.#isOneUnfinished(parentId, ids)
  }

  async #isOneUnfinished(parentId: string, ids: readonly string[]): Promise<boolean> {
    for (let at = 0; at < ids.length; at += lookedAtMax) {
      const children = await this.#tasks.getAll(ids.slice(at, at + lookedAtMax))
      const isOne = children.some(
        ({ value }) => value.parent_id === parentId && value.doomed === null && isUnfinished(value),
      )
      if (isOne) return true
    }
    return false
  }
}
