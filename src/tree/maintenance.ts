import { eventLoopTurn } from '../store/internal.ts'
import { Ancestry } from './ancestry.ts'
import type { Told } from './change.ts'
import { TaskNotFoundError, TreeError } from './error.ts'
import { familiesOf } from './families.ts'
import { Hiding } from './hiding.ts'
import { lastSegment, prefixes, timeSegment } from './keys.ts'
import type { TreeParts } from './parts.ts'
import { isBeingRestored } from './restorations.ts'
import { finishRestorations, isLeftHidden, restore, restoreHidden } from './restoring.ts'
import type { Shape } from './shape.ts'
import type { TaskDocument } from './task.ts'
import { isUnfinished } from './unfinished.ts'
import { verbs } from './verbs.ts'

/** What one run of the maintenance did, by ids. */
export interface MaintenanceReport {
  /** Tasks whose claims were stale, and which are open again. */
  readonly released: readonly string[]
  /** Tasks that had been closed for long, and are hidden now. */
  readonly softDeleted: readonly string[]
  /** Tasks that had been hidden for long, and are gone now. */
  readonly hardDeleted: readonly string[]
  /** Tasks whose restoration was interrupted, or whose family has an unfinished task: visible again. */
  readonly restored: readonly string[]
  /** Deletions that had been begun. */
  readonly completed: readonly string[]
}

/** When claims are taken back, and what is old goes. */
export interface RetentionOptions {
  /** After how long a claim is taken back. */
  readonly claimTimeoutMs: number
  /** For how many days what is closed is kept; 0 for ever. */
  readonly retentionDays: number
  /** For how many days more what retention deleted can be restored. */
  readonly softDeleteDays: number
}

/** What holds where nothing else is said. */
export const retentionDefaults: RetentionOptions = {
  claimTimeoutMs: 30 * 60_000,
  retentionDays: 30,
  softDeleteDays: 7,
}

const dayMs = 86_400_000
const system = 'system'

/** What is done from time to time. Each step looks at an index, so it costs what there is to do. */
export class Maintenance {
  readonly #parts: TreeParts

  constructor(parts: TreeParts) {
    this.#parts = parts
  }

  /** Takes claims back that are older than the timeout; answers with the tasks. */
  async releaseStale(timeoutMs: number): Promise<string[]> {
    const cutoff = (await this.#parts.now()) - timeoutMs
    const isStale = ({ status, claimed_at }: TaskDocument) =>
      status === 'in_progress' && claimed_at !== null && Date.parse(claimed_at) < cutoff
    return this.#changeAll(await this.#listed(prefixes.active), isStale, verbs.forceRelease)
  }

  /** Hides what has been closed for long, with all below it; what has something below it that has not is kept. */
  async softDelete(days: number): Promise<string[]> {
    if (days === 0) return []
    const told = await this.#told()
    const cutoff = Date.parse(told.at) - days * dayMs
    const isDue = ({ status, deleted_at, updated_at }: TaskDocument) =>
      status === 'closed' && deleted_at === null && Date.parse(updated_at) < cutoff
    const due = (await this.#documents(prefixes.closed, cutoff)).filter(isDue)
    return new Hiding(this.#parts, told, isDue).run(due)
  }

  /**
   * Removes for good what was hidden for long, and has nothing below it that was not. What a restoration has left hidden
   * of a family, because it died, is brought back instead; what is just being restored waits for the next run.
   */
  async hardDelete(days: number): Promise<{ removed: string[]; restored: string[] }> {
    const told = await this.#told()
    const cutoff = Date.parse(told.at) - days * dayMs
    const hiddenBefore = new Date(cutoff).toISOString()
    const { shape } = this.#parts
    const isDue = ({ deleted_at }: TaskDocument) =>
      deleted_at !== null && Date.parse(deleted_at) < cutoff
    const due = (await this.#documents(prefixes.trash, cutoff)).filter(isDue)
    const { tops } = await familiesOf(shape, due, (task) => (isDue(task) ? 'due' : 'kept'))
    const [removed, restored] = [[] as string[][], [] as string[]]
    for (const top of tops)
      if (await isBeingRestored(this.#parts.store, top.deleted_at, told)) continue
      else if (await isLeftHidden(this.#parts, top)) {
        if (await this.#broughtBack(top.id)) restored.push(top.id)
      } else if (await shape.doom(top, told, hiddenBefore))
        // It was looked at again before it went, for somebody may have restored what is below it.
        removed.push(await shape.remove(top.id))
    return { removed: removed.flat(), restored }
  }

  /** False for what somebody has deleted since it was looked at: that must not end the round. */
  async #broughtBack(id: string): Promise<boolean> {
    try {
      await restore(this.#parts, id, system)
      return true
    } catch (error) {
      if (error instanceof TaskNotFoundError) return false
      throw error
    }
  }

  /** Brings back what restorations that died on the way have left hidden; answers with that. */
  async finishRestorations(): Promise<string[]> {
    return finishRestorations(this.#parts, await this.#told())
  }

  /**
   * Brings back what is hidden above something unfinished: that was added while the top was being hidden, and the pass
   * that would have noticed has died. Answers with what was hidden.
   */
  async bringBack(): Promise<string[]> {
    const { store, tasks, shape } = this.#parts
    let isNoneHidden = true
    for await (const _ of store.list(prefixes.trash, { limit: 1 })) isNoneHidden = false
    if (isNoneHidden) return []
    const parents = new Set<string>()
    for await (const { key } of store.list(prefixes.unfinished))
      parents.add(key.slice(prefixes.unfinished.length + 1).split('/')[0] as string)
    const told = await this.#told()
    const restored: string[] = []
    for (const { id, deleted_at } of await this.#hiddenFrom(await tasks.getAll([...parents]))) {
      if (deleted_at === null || !(await hasUnfinished(shape, id))) continue
      await restoreHidden(this.#parts, { id, at: deleted_at, told })
      restored.push(id)
    }
    return restored
  }

  /** What is hidden of these and of all above them, each once. */
  async #hiddenFrom(found: readonly { value: TaskDocument }[]): Promise<TaskDocument[]> {
    const documents = found.map(({ value }) => value)
    const ancestry = new Ancestry(this.#parts.tasks)
    const places = await ancestry.placesOf(documents)
    const seen = new Map<string, TaskDocument>()
    for (const [at, document] of documents.entries()) {
      let up: TaskDocument | null = places[at]?.isThere ? document : null
      for (; up !== null && !seen.has(up.id); up = ancestry.parentOf(up)) {
        const turn = eventLoopTurn()
        if (turn) await turn
        seen.set(up.id, up)
      }
    }
    return [...seen.values()].filter(({ deleted_at }) => deleted_at !== null)
  }

  /** The tasks that an index names before a time, without those that are being deleted. */
  async #documents(prefix: string, beforeMs: number): Promise<TaskDocument[]> {
    const found = await this.#parts.tasks.getAll(await this.#listed(prefix, beforeMs))
    return found.map(({ value }) => value).filter(({ doomed }) => doomed === null)
  }

  /** The ids that an index names, all or those before a time. */
  async #listed(prefix: string, beforeMs?: number): Promise<string[]> {
    const before = beforeMs === undefined ? undefined : `${prefix}/${timeSegment(beforeMs)}`
    const ids: string[] = []
    for await (const { key } of this.#parts.store.list(prefix, { before }))
      ids.push(lastSegment(key))
    return ids
  }

  /** Changes those that are due, also when they are looked at again; answers with them. */
  async #changeAll(
    ids: readonly string[],
    isDue: (task: TaskDocument) => boolean,
    change: (task: TaskDocument, told: Told) => TaskDocument,
  ): Promise<string[]> {
    const told = await this.#told()
    const done: string[] = []
    for (const { id, value } of await this.#parts.tasks.getAll(ids)) {
      if (!isDue(value)) continue
      const outcome = await this.#parts.tasks
        .change(id, (now) => (isDue(now) && now.doomed === null ? change(now, told) : now))
        .catch(passOver)
      if (outcome && outcome.before !== outcome.after) done.push(id)
    }
    return done
  }

  async #told(): Promise<Told> {
    return { by: system, at: new Date(await this.#parts.now()).toISOString() }
  }
}

async function hasUnfinished(shape: Shape, id: string): Promise<boolean> {
  for await (const { documents } of shape.below(id, ({ doomed }) => doomed === null))
    if (documents.some(isUnfinished)) return true
  return false
}

/** What a rule refuses meanwhile is not due any more. */
function passOver(error: unknown): null {
  if (error instanceof TreeError) return null
  throw error
}
