import { CorruptDocumentError } from '../collection/index.ts'
import { compete, lost, StoreError } from '../store/internal.ts'
import { ActiveBelow } from './active.ts'
import { Ancestry } from './ancestry.ts'
import type { checkNewTask } from './checks.ts'
import {
  ActiveChildrenError,
  CycleError,
  ParentNotFoundError,
  TaskActiveError,
  TaskNotFoundError,
} from './error.ts'
import { removeHistory } from './history.ts'
import { checkId, IdMaker } from './id.ts'
import { inDoubt } from './in-doubt.ts'
import type { TreeParts } from './parts.ts'
import { isActive } from './status.ts'
import { answeredTaskOf, type Task, type TaskDocument } from './task.ts'
import { type By, checked } from './writes.ts'

/** What a deletion took away. */
export interface Deleted {
  /** The task that was to be deleted. */
  readonly id: string
  /** The ids of all that was below it. */
  readonly descendants: readonly string[]
}

/** Adds tasks to the tree, moves them, and takes them away. */
export class Growth {
  readonly #parts: TreeParts
  readonly #ids: IdMaker
  #preparing: Promise<void> | null = null

  constructor(parts: TreeParts) {
    this.#parts = parts
    this.#ids = new IdMaker(parts.onSetBack)
  }

  async create(given: ReturnType<typeof checkNewTask>, by: By): Promise<Task> {
    const { tasks, shape, writes } = this.#parts
    const told = await writes.told(by)
    await this.#prepared()
    const { id, ms } = this.#ids.next(Date.parse(told.at))
    const n = given.parent_id === null ? 0 : await shape.structure.settled()
    const above = given.parent_id === null ? [] : await this.#parentChain(given.parent_id)
    const at = new Date(ms).toISOString()
    const document: TaskDocument = {
      id,
      ...given,
      // Left out, it is the parent's; given as null, there is none.
      grimoire_hint:
        given.grimoire_hint === undefined ? (above[0]?.grimoire_hint ?? null) : given.grimoire_hint,
      status: 'open',
      claimed_by: null,
      claimed_at: null,
      grimoire: null,
      created_at: at,
      created_by: told.by,
      updated_at: at,
      deleted_at: null,
      change: { n: 0, at, by: told.by, fields: [] },
      doomed: null,
    }
    // Never retried: after a lost answer, another agent may have seen the task and deleted it.
    if (!(await tasks.createOnce(id, document))) throw new Error(`The new id ${id} is taken.`)
    return inDoubt(async () => {
      const isWhere = given.parent_id === null || (await shape.structure.isStill(n))
      return isWhere ? answeredTaskOf(document, above.length, true) : this.#settled(document)
    })
  }

  /** Moves a task below another one, or makes it a root. */
  async reparent(given: string, to: string | null, by: By): Promise<Task> {
    const { shape, writes, tasks } = this.#parts
    const id = checkId(given)
    const told = await writes.told(by)
    return compete(`the task ${id}`, async () => {
      const { document, ancestors } = await writes.present(id)
      checked(document, by)
      const above = to === null ? [] : await this.#parentChain(to)
      if (above.some((ancestor) => ancestor.id === id)) throw new CycleError(id, to as string)
      if (document.parent_id === to) return answeredTaskOf(document, ancestors.length, false)
      const moved = await shape.move(document, to, told)
      if (moved === null) return lost
      const { isThere, depth } = await inDoubt(() => new Ancestry(tasks).placeOf(moved))
      // Moved, and then deleted by somebody else.
      if (!isThere) throw new TaskNotFoundError(id)
      return answeredTaskOf(moved, depth, true)
    })
  }

  /** Deletes a task and all below it. What can't be read goes by its id, too. */
  async delete(given: string, by: By): Promise<Deleted> {
    const { store, tasks, shape, writes } = this.#parts
    const id = checkId(given)
    const told = await writes.told(by)
    try {
      await compete(`the task ${id}`, async () => {
        const { document } = await writes.present(id)
        await this.#checkDeletable(checked(document, by))
        return (await shape.doom(document, told)) ? true : lost
      })
    } catch (error) {
      if (!(error instanceof CorruptDocumentError && error.id === id)) throw error
      await removeHistory(store, id)
      await tasks.discard(id)
      return { id, descendants: [] }
    }
    try {
      const [, ...descendants] = await shape.remove(id)
      // And what others left, who died on the way.
      await shape.removeDoomed()
      return { id, descendants }
    } catch (error) {
      // It is deleted; what is left of it, the next who comes by removes as well.
      if (!(error instanceof StoreError)) throw error
      return { id, descendants: [] }
    }
  }

  /** Before the first task: only of an empty store it is known that no index lacks anything. */
  #prepared(): Promise<void> {
    this.#preparing ??= this.#parts.shape.structure.prepare().catch((error) => {
      this.#preparing = null
      throw error
    })
    return this.#preparing
  }

  async #checkDeletable({ id, status }: TaskDocument): Promise<void> {
    const { store, tasks } = this.#parts
    if (isActive(status)) throw new TaskActiveError(id, status)
    const active = (await ActiveBelow.read(store, tasks)).below(id)
    if (active !== null) throw new ActiveChildrenError(id, active)
  }

  /** A task that is to be a parent, and its ancestors. What retention has hidden must be restored first. */
  async #parentChain(id: string): Promise<TaskDocument[]> {
    try {
      const { document, ancestors } = await this.#parts.writes.present(id)
      const chain = [document, ...ancestors]
      if (chain.every(({ deleted_at }) => deleted_at === null)) return chain
    } catch (error) {
      if (!(error instanceof TaskNotFoundError || error instanceof CorruptDocumentError))
        throw error
    }
    throw new ParentNotFoundError(id)
  }

  /** A new task is there, but the shape has changed meanwhile; perhaps its parent is gone, or hidden. */
  async #settled({ id, parent_id }: TaskDocument): Promise<Task> {
    const { shape, writes } = this.#parts
    await shape.structure.settled()
    const now = await writes.present(id).catch(nullIfGone)
    if (now?.ancestors.every(({ deleted_at }) => deleted_at === null))
      return answeredTaskOf(now.document, now.ancestors.length, true)
    await shape.erase(id)
    throw new ParentNotFoundError(parent_id)
  }
}

function nullIfGone(error: unknown): null {
  if (error instanceof TaskNotFoundError) return null
  throw error
}
