import type { RepairOptions } from '../collection/index.ts'
import type { Store } from '../store/internal.ts'
import { type BulkOptions, type BulkRequest, type BulkResult, runBulk } from './bulk.ts'
import { changed, type Note } from './change.ts'
import {
  checkNewTask,
  checkNote,
  checkOptions,
  checkParentId,
  checkPatch,
  type NewTask,
  type TaskPatch,
} from './checks.ts'
import { type SelectGrimoire, type Taking, take } from './claiming.ts'
import { DepthWarning } from './depth-warning.ts'
import { editing, type TaskEdit } from './edit.ts'
import { type Deleted, Growth } from './growth.ts'
import { checkId } from './id.ts'
import {
  Maintenance,
  type MaintenanceReport,
  type RetentionOptions,
  retentionDefaults,
} from './maintenance.ts'
import { type PartsOptions, partsOf, type TreeParts } from './parts.ts'
import { repairTree, type TreeRepairReport } from './repair.ts'
import { type RestoredTask, restore } from './restoring.ts'
import { checkStatus, type Status } from './status.ts'
import { checkTags, withoutTags, withTags } from './tags.ts'
import { answeredTaskOf, type Task } from './task.ts'
import { TreeReader } from './tree-reader.ts'
import { checkReclaim, move, type VerbName, verbs } from './verbs.ts'
import type { By, Next } from './writes.ts'

/** How a tree works; all of it may be left out. */
export interface TaskTreeOptions extends PartsOptions, Partial<RetentionOptions> {
  /** Says which grimoire a task is to be worked on with, when it is claimed. */
  readonly selectGrimoire?: SelectGrimoire | undefined
}

const defaultAgent = 'user'

/**
 * A tree of tasks. Everybody who opens the same store shares it. Every refusal is a {@link TreeError} and has changed
 * nothing; failures of the store are `StoreError`s.
 *
 * @example
 * ```js
 * import { openStore } from 'holdfast/store'
 * import { TaskTree } from 'holdfast/tree'
 *
 * const store = await openStore('memory:')
 * const tree = new TaskTree(store)
 * const { id } = await tree.create({ title: 'Tag it', tags: ['git'] }, 'ann')
 * console.log((await tree.claim(id, 'agent-7')).status) // in_progress
 * await store[Symbol.asyncDispose]()
 * ```
 */
export class TaskTree extends TreeReader {
  readonly #parts: TreeParts
  readonly #growth: Growth
  readonly #options: TaskTreeOptions
  readonly #deep: DepthWarning

  constructor(store: Store, options: TaskTreeOptions = {}) {
    const parts = partsOf(store, options)
    super(parts)
    this.#parts = parts
    this.#growth = new Growth(parts)
    this.#options = options
    this.#deep = new DepthWarning(options.onWarning)
  }

  /** Makes an empty tree where there is none, so that the store is not taken for one that is missing. */
  prepare(): Promise<void> {
    return this.#parts.shape.structure.prepare()
  }

  /**
   * Adds a task; one with a parent has its hint, unless it is given one.
   *
   * @throws {@link InvalidTaskError} where it can't be one, {@link ParentNotFoundError} where its parent is missing.
   */
  async create(given: NewTask, by: By = defaultAgent): Promise<Task> {
    return this.#deep.seen(await this.#growth.create(checkNewTask(given), by))
  }

  /** As {@link TaskTree.create}, but an unknown parent is a task that was not found. */
  async createSubtask(parentId: string, given: NewTask, by: By = defaultAgent): Promise<Task> {
    const parent_id = checkId(parentId)
    const checked = { ...checkNewTask(given), parent_id }
    await this.#parts.writes.present(parent_id)
    return this.#deep.seen(await this.#growth.create(checked, by))
  }

  /**
   * Changes what the patch names, and gives the task as it is then.
   *
   * @throws {@link InvalidTaskError} for what can't be, {@link TaskNotFoundError}, {@link PreconditionFailedError}.
   */
  async update(id: string, given: TaskPatch, by: By = defaultAgent): Promise<Task> {
    const patch = checkPatch(given)
    return this.#parts.writes.swap(id, by, (now, told) => changed(now, patch, told))
  }

  /** As {@link TaskTree.update}, together with tags to add and to remove: all in one write, or nothing. */
  async edit(id: string, given: TaskEdit, by: By = defaultAgent): Promise<Task> {
    return this.#parts.writes.swap(id, by, editing(given))
  }

  /**
   * Runs the verb that makes the move. A task that has the status already stays unchanged, see {@link isChanged}.
   *
   * @throws {@link AlreadyClaimedError} where another agent has claimed or completed it, and what the verb throws.
   */
  async setStatus(
    id: string,
    given: Status,
    by: By = defaultAgent,
    said: Note = {},
  ): Promise<Task> {
    const status = checkStatus(given)
    const note = checkNote(said)
    if (status === 'in_progress') return this.#take(id, by, { note, mayBeTaken: true })
    return this.#parts.writes.swap(id, by, (now, told) => move(now, status, told, note))
  }

  /**
   * Takes a task, adds tags to it, and notes the grimoire that is selected, all in one.
   *
   * @throws {@link AlreadyClaimedError} where another was first, {@link NotClaimableError} where it is not open.
   */
  async claim(id: string, by: By, given: { tags?: readonly string[] } = {}): Promise<Task> {
    return this.#take(id, by, { tags: checkTags(checkOptions(given).tags ?? []) })
  }

  /**
   * Makes sure that the agent still has the task.
   *
   * @throws {@link AlreadyClaimedError} where another has it, {@link NotClaimableError} where nobody does.
   */
  async reclaim(id: string, by: By): Promise<Task> {
    const { by: agent } = await this.#parts.writes.told(by)
    const { document, ancestors } = await this.#parts.writes.present(checkId(id))
    checkReclaim(document, agent)
    return answeredTaskOf(document, ancestors.length, false)
  }

  /**
   * Gives a claim back: the task is open. With `force` also what another has claimed.
   *
   * @throws {@link NotClaimOwnerError} where another has it, {@link InvalidTransitionError} where nobody does.
   */
  async release(id: string, by: By, options: { force?: boolean } = {}): Promise<Task> {
    const { force = false } = checkOptions(options)
    return this.#run(id, by, force ? 'forceRelease' : 'release')
  }

  /**
   * Ends one's claim: the task waits for review, or is closed with `skip_review`.
   *
   * @throws {@link InvalidTransitionError} where it is not in progress, {@link NotClaimOwnerError} where another
   * agent has it.
   */
  async complete(
    id: string,
    by: By,
    options: Note & { skip_review?: boolean } = {},
  ): Promise<Task> {
    const { skip_review: isUnreviewed = false, ...said } = checkOptions(options)
    return this.#run(id, by, isUnreviewed ? 'completeUnreviewed' : 'complete', said)
  }

  /** Gives one's claim up, for something is in the way. Throws as {@link TaskTree.complete} does. */
  async block(id: string, by: By, said: Note = {}): Promise<Task> {
    return this.#run(id, by, 'block', said)
  }

  /** The task is open again. Throws {@link InvalidTransitionError} where it is not blocked. */
  async unblock(id: string, by: By = defaultAgent): Promise<Task> {
    return this.#run(id, by, 'unblock')
  }

  /**
   * Closes what waits for review.
   *
   * @throws {@link InvalidTransitionError} where it does not.
   */
  async approve(id: string, by: By = defaultAgent): Promise<Task> {
    return this.#run(id, by, 'approve')
  }

  /** Blocks what waits for review. Throws as {@link TaskTree.approve} does. */
  async reject(id: string, by: By = defaultAgent, said: Note = {}): Promise<Task> {
    return this.#run(id, by, 'reject', said)
  }

  /**
   * Moves a task, and all below it, below another one, or with null to the top.
   *
   * @throws {@link CycleError} where it would lie below itself, {@link ParentNotFoundError}.
   */
  async reparent(id: string, newParentId: string | null, by: By = defaultAgent): Promise<Task> {
    return this.#deep.seen(await this.#growth.reparent(id, checkParentId(newParentId), by))
  }

  /**
   * Deletes a task and all below it, with tags and history, at once.
   *
   * @throws {@link TaskActiveError} or {@link ActiveChildrenError} where somebody works on it or below it.
   */
  async delete(id: string, by: By = defaultAgent): Promise<Deleted> {
    return this.#growth.delete(id, by)
  }

  /** Brings back what retention has hidden, with all that the same pass hid with it, and says how many that are. */
  async restore(id: string, by: By = defaultAgent): Promise<RestoredTask> {
    return restore(this.#parts, id, by)
  }

  /** Puts tags on a task. */
  async addTags(id: string, tags: readonly string[], by: By = defaultAgent): Promise<Task> {
    return this.#retag(id, by, tags, withTags)
  }

  /** Gives a task these tags, and no others. */
  async setTags(id: string, tags: readonly string[], by: By = defaultAgent): Promise<Task> {
    return this.#retag(id, by, tags, (_, given) => given)
  }

  /** Takes tags off a task. */
  async removeTags(id: string, tags: readonly string[], by: By = defaultAgent): Promise<Task> {
    return this.#retag(id, by, tags, withoutTags)
  }

  /** Does the same to many tasks. What one refuses is told for it alone, and the others go through. */
  async bulk(
    request: BulkRequest,
    by: By = defaultAgent,
    options: BulkOptions = {},
  ): Promise<BulkResult[]> {
    // One below the other, they would each read the same ancestors.
    return this.#parts.writes.sharingAncestors(() => runBulk(this, request, by, options))
  }

  /** Takes stale claims back, runs the retention, and completes deletions and restorations that died on the way. */
  async maintain(): Promise<MaintenanceReport> {
    const { claimTimeoutMs, retentionDays, softDeleteDays } = {
      ...retentionDefaults,
      ...this.#options,
    }
    const maintenance = new Maintenance(this.#parts)
    const { structure } = this.#parts.shape
    await structure.settled()
    // Once, where a version without them wrote the tasks.
    if (!(await structure.isWhole())) await this.repair()
    const completed = await this.#parts.shape.removeDoomed()
    const released = await maintenance.releaseStale(claimTimeoutMs)
    const finished = await maintenance.finishRestorations()
    const broughtBack = await maintenance.bringBack()
    const { removed: hardDeleted, restored } = await maintenance.hardDelete(softDeleteDays)
    const softDeleted = await maintenance.softDelete(retentionDays)
    return {
      completed,
      released,
      hardDeleted,
      restored: [...finished, ...broughtBack, ...restored],
      softDeleted,
    }
  }

  /** Brings indexes and histories to what the tasks say, and completes deletions that died on the way. */
  repair(options?: RepairOptions): Promise<TreeRepairReport> {
    return repairTree(this.#parts, options)
  }

  #take(id: string, by: By, how: Taking): Promise<Task> {
    const { selectGrimoire } = this.#options
    return take(this.#parts.writes, id, by, { ...how, selectGrimoire })
  }

  async #run(id: string, by: By, verb: VerbName, said: Note = {}): Promise<Task> {
    const note = checkNote(said)
    return this.#parts.writes.swap(id, by, (now, told) => verbs[verb](now, told, note))
  }

  async #retag(
    id: string,
    by: By,
    given: readonly string[],
    retagged: (tags: readonly string[], given: readonly string[]) => readonly string[],
  ): Promise<Task> {
    const tags = checkTags(given)
    const next: Next = (now, told) => changed(now, { tags: retagged(now.tags, tags) }, told)
    return this.#parts.writes.swap(id, by, next)
  }
}
