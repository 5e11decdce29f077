import { ulid } from 'ulid'
import { pooled } from '../collection/index.ts'
import type { Store } from '../store/index.ts'
import { ActiveBelow } from './active.ts'
import { Ancestry } from './ancestry.ts'
import { changed, type Told, touched } from './change.ts'
import type { Tasks } from './documents.ts'
import { changeOf, removeHistory } from './history.ts'
import { inDoubt } from './in-doubt.ts'
import { lastSegment, prefixes } from './keys.ts'
import { isActive } from './status.ts'
import { type Intent, Structure } from './structure.ts'
import type { TaskDocument } from './task.ts'

/**
 * Moves and deletes tasks. Each is one swap of one document: the new parent, or a mark by which the task and
 * all below it are gone for every reader. What is left of a deleted tree is removed afterwards, by whoever
 * comes by.
 */
export class Shape {
  readonly structure: Structure
  readonly #store: Store
  readonly #tasks: Tasks

  constructor(store: Store, tasks: Tasks) {
    this.#store = store
    this.#tasks = tasks
    this.structure = new Structure(store, (intent) => this.#finish(intent))
  }

  /** Moves a task as it is; null where it has changed meanwhile, or where that is no longer possible. */
  async move(task: TaskDocument, to: string | null, told: Told): Promise<TaskDocument | null> {
    const intent = { ...intentFor(task, told), kind: 'move', to } as const
    await this.structure.run(intent)
    return inDoubt(async () => {
      const after = await this.#get(task.id)
      const made = after && (await changeOf(this.#store, after, intent.change + 1))
      return made?.via === intent.id ? after : null
    })
  }

  /** Deletes a task as it is, and all below it; false where it has changed meanwhile, or where it can't go. */
  async doom(task: TaskDocument, told: Told, hiddenBefore?: string): Promise<boolean> {
    const intent = { ...intentFor(task, told), kind: 'delete', to: null, hiddenBefore } as const
    await this.structure.run(intent)
    const after = await inDoubt(() => this.#get(task.id))
    return after === null || after.doomed === intent.id
  }

  /** Removes what is below a doomed task, and then the task; answers with all their ids. */
  async remove(rootId: string): Promise<string[]> {
    const levels = (await this.levels(rootId)).map((level) => level.map(({ id }) => id))
    // From below, so that the chain of whatever is left still leads to what says that it is gone.
    for (const level of levels.toReversed()) await pooled(level, (id) => this.erase(id))
    await this.erase(rootId)
    return [rootId, ...levels.flat()]
  }

  /** Takes a task out of the store. Its history goes first, for without the task nobody would find it. */
  async erase(id: string): Promise<void> {
    const seen = await this.#get(id)
    await removeHistory(this.#store, id)
    const last = await this.#tasks.delete(id)
    // Somebody who had not seen the deletion changed it meanwhile.
    if (last?.change.n !== seen?.change.n) await removeHistory(this.#store, id)
  }

  /** Removes what deletions that died on the way have left; answers with the roots. */
  async removeDoomed(): Promise<string[]> {
    const ids: string[] = []
    for await (const { key } of this.#store.list(prefixes.doomed)) ids.push(lastSegment(key))
    const doomed = (await this.#tasks.getAll(ids)).filter(({ value }) => value.doomed !== null)
    for (const { id } of doomed) await this.remove(id)
    return doomed.map(({ id }) => id)
  }

  /** The documents of the children, in the order of their ids; what an index says wrongly is left out. */
  async children(parentId: string): Promise<TaskDocument[]> {
    const ids: string[] = []
    for await (const { key } of this.#store.list(`${prefixes.children}/${parentId}`))
      ids.push(lastSegment(key))
    const found = await this.#tasks.getAll(ids)
    return found.map(({ value }) => value).filter(({ parent_id }) => parent_id === parentId)
  }

  /** All below a task: its children, their children, and so on. */
  async levels(rootId: string): Promise<TaskDocument[][]> {
    const seen = new Set([rootId])
    const levels: TaskDocument[][] = []
    let level = [rootId]
    while (level.length > 0) {
      const next = (await pooled(level, (id) => this.children(id))).flat()
      // What moves while this reads may be met twice.
      const fresh = next.filter(({ id }) => !seen.has(id) && seen.add(id))
      if (fresh.length > 0) levels.push(fresh)
      level = fresh.map(({ id }) => id)
    }
    return levels
  }

  /** Whether retention has hidden a task and all below it before a time. */
  async isHidden(task: TaskDocument, before: string): Promise<boolean> {
    const all = [task, ...(await this.levels(task.id)).flat()]
    const end = Date.parse(before)
    return all.every(({ deleted_at }) => deleted_at !== null && Date.parse(deleted_at) < end)
  }

  async #finish(intent: Intent): Promise<void> {
    const task = await this.#get(intent.task)
    if (task?.change.n !== intent.change) return
    const isFine =
      intent.kind === 'move'
        ? await this.#canMove(task, intent.to)
        : await this.#canGo(task, intent)
    await this.#tasks.change(intent.task, (now) => {
      if (now.change.n !== intent.change) return now
      if (!isFine) return touched(now)
      const edit = intent.kind === 'move' ? { parent_id: intent.to } : { doomed: intent.id }
      return changed(now, edit, intent, { via: intent.id })
    })
  }

  /** What can't be read is nothing that could be changed. */
  async #get(id: string): Promise<TaskDocument | null> {
    const [document] = await this.#tasks.getAll([id])
    return document?.value ?? null
  }

  async #canMove(task: TaskDocument, to: string | null): Promise<boolean> {
    const ancestry = new Ancestry(this.#tasks)
    if ((await ancestry.of(task)) === null) return false
    if (to === null) return true
    const parent = await ancestry.get(to)
    const above = parent && parent.deleted_at === null ? await ancestry.of(parent) : null
    return parent !== null && above !== null && ![parent, ...above].some(({ id }) => id === task.id)
  }

  async #canGo(task: TaskDocument, { hiddenBefore }: Intent): Promise<boolean> {
    if (isActive(task.status)) return false
    if (hiddenBefore !== undefined && !(await this.isHidden(task, hiddenBefore))) return false
    if ((await new Ancestry(this.#tasks).of(task)) === null) return false
    const active = await ActiveBelow.read(this.#store, this.#tasks)
    return active.below(task.id) === null
  }
}

const intentFor = ({ id, change }: TaskDocument, { at, by }: Told) => ({
  id: ulid(),
  task: id,
  change: change.n,
  at,
  by,
})
