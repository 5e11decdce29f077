import { ulid } from 'ulid'
import { inTurns, pooled } from '../collection/index.ts'
import type { Store } from '../store/internal.ts'
import { ActiveBelow } from './active.ts'
import { Ancestry, ancestorsOf } from './ancestry.ts'
import { changed, type Told, touched } from './change.ts'
import type { Tasks } from './documents.ts'
import { canEraseTogether, eraseTogether } from './erasure.ts'
import { changeOf, removeHistory } from './history.ts'
import { inDoubt } from './in-doubt.ts'
import { lastSegment, prefixes } from './keys.ts'
import { isActive } from './status.ts'
import { type Intent, Structure } from './structure.ts'
import type { TaskDocument } from './task.ts'

/** How many parents are asked for their children at once, and how many children of one are read together. */
const parentsAtOnce = 32
const firstChildrenMax = 32
const childrenMax = 1_000

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
    const levels: string[][] = []
    const ids = [rootId]
    for await (const { level, documents } of this.below(rootId)) {
      if (levels.length < level) levels.push([])
      for (const { id } of documents) {
        levels.at(-1)?.push(id)
        ids.push(id)
      }
    }
    // From below, so that the chain of whatever is left still leads to what says that it is gone.
    const upwards = [...levels.reverse(), [rootId]]
    const parts = { store: this.#store, tasks: this.#tasks }
    if (canEraseTogether(this.#store))
      await eraseTogether(parts, upwards.flat(), (id) => this.erase(id))
    else for (const level of upwards) await pooled(level, (id) => this.erase(id))
    return ids
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
    const children: TaskDocument[] = []
    await inTurns(await this.#tasks.getAll(ids), ({ value }) => {
      if (value.parent_id === parentId) children.push(value)
    })
    return children
  }

  /**
   * What is below a task, nearer ones first, some at a time: so whoever has enough reads no more. What is not kept is
   * left out with all below it.
   */
  async *below(
    rootId: string,
    isKept: (task: TaskDocument) => boolean = () => true,
  ): AsyncGenerator<{ level: number; documents: readonly TaskDocument[] }> {
    const seen = new Set([rootId])
    let parents = [rootId]
    for (let level = 1; parents.length > 0; level++) {
      const next: string[] = []
      for await (const children of this.#childrenOf(parents)) {
        // What moves while this reads may be met twice.
        const documents = children.filter((each) => isKept(each) && !seen.has(each.id))
        for (const { id } of documents) {
          seen.add(id)
          next.push(id)
        }
        if (documents.length > 0) yield { level, documents }
      }
      parents = next
    }
  }

  /** The children of many tasks, parent by parent. Several parents are read at once, a long row of children in pages. */
  async *#childrenOf(parents: readonly string[]): AsyncGenerator<readonly TaskDocument[]> {
    for (let at = 0; at < parents.length; at += parentsAtOnce) {
      const some = parents.slice(at, at + parentsAtOnce)
      const firsts = await pooled(some, (id) => this.#childrenAfter(id))
      for (const [nth, first] of firsts.entries())
        for (let page = first; ; page = await this.#childrenAfter(some[nth] as string, page.last)) {
          yield page.documents
          if (page.last === undefined) break
        }
    }
  }

  /** A page of children; the key to go on after, where there may be more. */
  async #childrenAfter(parentId: string, after?: string) {
    const keys: string[] = []
    const limit = after === undefined ? firstChildrenMax : childrenMax
    for await (const { key } of this.#store.list(`${prefixes.children}/${parentId}`, {
      after,
      limit,
    }))
      keys.push(key)
    const found = await this.#tasks.getAll(keys.map(lastSegment))
    const documents = found.map(({ value }) => value)
    return {
      documents: documents.filter(({ parent_id }) => parent_id === parentId),
      last: keys.length < limit ? undefined : keys.at(-1),
    }
  }

  /** Whether retention has hidden a task and all below it before a time, so that nobody works on any of it. */
  async #isHidden(task: TaskDocument, before: string): Promise<boolean> {
    const end = Date.parse(before)
    const isHidden = ({ deleted_at, status }: TaskDocument) =>
      deleted_at !== null && Date.parse(deleted_at) < end && !isActive(status)
    if (!isHidden(task)) return false
    for await (const { documents } of this.below(task.id))
      if (!documents.every(isHidden)) return false
    return true
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

  async #isThere(task: TaskDocument): Promise<boolean> {
    return (await new Ancestry(this.#tasks).placeOf(task)).isThere
  }

  async #read(id: string): Promise<TaskDocument | null> {
    return (await this.#tasks.get(id))?.value ?? null
  }

  async #canMove(task: TaskDocument, to: string | null): Promise<boolean> {
    if (!(await this.#isThere(task))) return false
    if (to === null) return true
    const parent = await this.#tasks.get(to)
    const above = parent && (await ancestorsOf(parent.value, (id) => this.#read(id)))
    if (!parent || !above) return false
    const chain = [parent.value, ...above]
    return chain.every(({ id, deleted_at }) => id !== task.id && deleted_at === null)
  }

  async #canGo(task: TaskDocument, { hiddenBefore }: Intent): Promise<boolean> {
    if (isActive(task.status)) return false
    if (!(await this.#isThere(task))) return false
    // It has just seen all below it: what is active elsewhere need not be read.
    if (hiddenBefore !== undefined) return this.#isHidden(task, hiddenBefore)
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
