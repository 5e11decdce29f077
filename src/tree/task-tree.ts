import type { RepairOptions } from '../collection/index.ts'
import type { Store } from '../store/index.ts'
import { type BulkOptions, type BulkRequest, type BulkResult, runBulk } from './bulk.ts'
import { changed, type Note } from './change.ts'
import {
  checkNewTask,
  checkNote,
  checkParentId,
  checkPatch,
  type NewTask,
  type TaskPatch,
} from './checks.ts'
import { type Deleted, Growth } from './growth.ts'
import { checkId } from './id.ts'
import { Maintenance, type RetentionOptions, retentionDefaults } from './maintenance.ts'
import { type PartsOptions, partsOf, type TreeParts } from './parts.ts'
import { repairTree, type TreeRepairReport } from './repair.ts'
import { checkStatus, type Status } from './status.ts'
import { checkTags, withoutTags, withTags } from './tags.ts'
import { type Task, taskOf, versionedTaskOf } from './task.ts'
import { TreeReader } from './tree-reader.ts'
import { checkClaimable, checkReclaim, claim, type VerbName, verbFor, verbs } from './verbs.ts'
import { type By, checked, type Next } from './writes.ts'

export interface TaskTreeOptions extends PartsOptions, Partial<RetentionOptions> {
  /** Says which grimoire a task is to be worked on with, when it is claimed. */
  readonly selectGrimoire?:
    | ((task: Task, parent: Task | null) => string | null | Promise<string | null>)
    | undefined
}

/** What one run of the maintenance did, by ids. */
export interface MaintenanceReport {
  readonly released: readonly string[]
  readonly softDeleted: readonly string[]
  readonly hardDeleted: readonly string[]
  /** Deletions that had been begun. */
  readonly completed: readonly string[]
}

/** Deeper than this is unusual, and worth a warning. */
export const depthUsualMax = 10

const defaultAgent = 'user'

/** A tree of tasks. Everybody who opens the same store shares it. */
export class TaskTree extends TreeReader {
  readonly #parts: TreeParts
  readonly #growth: Growth
  readonly #options: TaskTreeOptions

  constructor(store: Store, options: TaskTreeOptions = {}) {
    const parts = partsOf(store, options)
    super(parts)
    this.#parts = parts
    this.#growth = new Growth(parts)
    this.#options = options
  }

  /** Makes an empty tree where there is none, so that the store is not taken for one that is missing. */
  prepare(): Promise<void> {
    return this.#parts.shape.structure.prepare()
  }

  /** A subtask has its parent's hint, unless it is given one. */
  async create(given: NewTask, by: By = defaultAgent): Promise<Task> {
    return this.#warned(await this.#growth.create(checkNewTask(given), by))
  }

  /** As {@link TaskTree.create}, but an unknown parent is a task that was not found. */
  async createSubtask(parentId: string, given: NewTask, by: By = defaultAgent): Promise<Task> {
    const parent_id = checkId(parentId)
    const checked = { ...checkNewTask(given), parent_id }
    await this.#parts.writes.present(parent_id)
    return this.#warned(await this.#growth.create(checked, by))
  }

  async update(id: string, given: TaskPatch, by: By = defaultAgent): Promise<Task> {
    const patch = checkPatch(given)
    return this.#parts.writes.swap(id, by, (now, told) => changed(now, patch, told))
  }

  /** Runs the verb that makes the move. What has the status already stays as it is. */
  async setStatus(
    id: string,
    given: Status,
    by: By = defaultAgent,
    said: Note = {},
  ): Promise<Task> {
    const status = checkStatus(given)
    const note = checkNote(said)
    if (status === 'in_progress') {
      const { document, ancestors } = await this.#parts.writes.present(checkId(id))
      if (document.status !== status) return this.claim(id, by)
      return versionedTaskOf(checked(document, by), ancestors.length)
    }
    return this.#parts.writes.swap(id, by, (now, told) =>
      now.status === status ? now : verbs[verbFor(now.status, status)](now, told, note),
    )
  }

  /** Takes a task, adds tags to it, and notes the grimoire that is selected, all in one. */
  async claim(id: string, by: By, given: { tags?: readonly string[] } = {}): Promise<Task> {
    const tags = checkTags(given.tags ?? [])
    return this.#parts.writes.swapPlanned(id, by, async ({ document, ancestors }) => {
      checkClaimable(document)
      const task = { ...document, tags: withTags(document.tags, tags) }
      const [parent] = ancestors
      const grimoire = await this.#options.selectGrimoire?.(
        taskOf(task, ancestors.length),
        parent ? taskOf(parent, ancestors.length - 1) : null,
      )
      return (now, told) => claim(now, told, { tags, grimoire: grimoire ?? null })
    })
  }

  /** Makes sure that the agent has the task. */
  async reclaim(id: string, by: By): Promise<Task> {
    const { by: agent } = await this.#parts.writes.told(by)
    const { document, ancestors } = await this.#parts.writes.present(checkId(id))
    checkReclaim(document, agent)
    return versionedTaskOf(document, ancestors.length)
  }

  /** With `force` also what another has claimed. */
  async release(id: string, by: By, { force = false } = {}): Promise<Task> {
    return this.#run(id, by, force ? 'forceRelease' : 'release')
  }

  async complete(
    id: string,
    by: By,
    { skip_review: isUnreviewed = false, ...said }: Note & { skip_review?: boolean } = {},
  ): Promise<Task> {
    return this.#run(id, by, isUnreviewed ? 'completeUnreviewed' : 'complete', said)
  }

  async block(id: string, by: By, said: Note = {}): Promise<Task> {
    return this.#run(id, by, 'block', said)
  }

  async unblock(id: string, by: By = defaultAgent): Promise<Task> {
    return this.#run(id, by, 'unblock')
  }

  async approve(id: string, by: By = defaultAgent): Promise<Task> {
    return this.#run(id, by, 'approve')
  }

  async reject(id: string, by: By = defaultAgent, said: Note = {}): Promise<Task> {
    return this.#run(id, by, 'reject', said)
  }

  /** Moves a task, and all below it, below another one, or with null to the top. */
  async reparent(id: string, newParentId: string | null, by: By = defaultAgent): Promise<Task> {
    return this.#warned(await this.#growth.reparent(id, checkParentId(newParentId), by))
  }

  /** Deletes a task and all below it, with tags and history, at once. */
  async delete(id: string, by: By = defaultAgent): Promise<Deleted> {
    return this.#growth.delete(id, by)
  }

  /** Brings back what retention deleted. */
  async restore(id: string, by: By = defaultAgent): Promise<Task> {
    return this.#parts.writes.swap(id, by, (now, told) => changed(now, { deleted_at: null }, told))
  }

  async addTags(id: string, tags: readonly string[], by: By = defaultAgent): Promise<Task> {
    return this.#retag(id, by, tags, withTags)
  }

  async setTags(id: string, tags: readonly string[], by: By = defaultAgent): Promise<Task> {
    return this.#retag(id, by, tags, (_, given) => given)
  }

  async removeTags(id: string, tags: readonly string[], by: By = defaultAgent): Promise<Task> {
    return this.#retag(id, by, tags, withoutTags)
  }

  async bulk(
    request: BulkRequest,
    by: By = defaultAgent,
    options: BulkOptions = {},
  ): Promise<BulkResult[]> {
    return runBulk(this, request, by, options)
  }

  /** Takes stale claims back, runs the retention, and completes deletions that died on the way. */
  async maintain(): Promise<MaintenanceReport> {
    const { claimTimeoutMs, retentionDays, softDeleteDays } = {
      ...retentionDefaults,
      ...this.#options,
    }
    const maintenance = new Maintenance(this.#parts)
    await this.#parts.shape.structure.settled()
    return {
      completed: await this.#parts.shape.removeDoomed(),
      released: await maintenance.releaseStale(claimTimeoutMs),
      hardDeleted: await maintenance.hardDelete(softDeleteDays),
      softDeleted: await maintenance.softDelete(retentionDays),
    }
  }

  repair(options?: RepairOptions): Promise<TreeRepairReport> {
    return repairTree(this.#parts, options)
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

  #warned(task: Task): Task {
    if (task.depth > depthUsualMax)
      this.#options.onWarning?.(`Task ${task.id} is ${task.depth} levels deep.`)
    return task
  }
}
