import type { Caller } from '../../../src/access/role.ts'
import { type Job, operations as jobs } from '../../../src/jobs/operations.ts'
import type { TaskStatus } from '../../../src/jobs/task.ts'
import { operations as list } from '../../../src/list/operations.ts'
import { stateOf } from '../../../src/list/state.ts'
import type { Task as ListTask } from '../../../src/list/task.ts'
import type { Plan, SessionSummary } from '../../../src/plan/answers.ts'
import { stateOf as planStateOf } from '../../../src/plan/condition.ts'
import type { Goal, PlanTask } from '../../../src/plan/documents.ts'
import { operations as plan, type ShownEvent } from '../../../src/plan/operations.ts'
import type { Given, Inputs } from '../../../src/schema/operation.ts'
import type { HistoryEntry } from '../../../src/tree/history.ts'
import { operations as tree } from '../../../src/tree/operations.ts'
import type { Task as TreeTask } from '../../../src/tree/task.ts'
import { type Circumstances, type Row, requestFor } from './call.ts'
import { type Answered, type Http, stateIn } from './http.ts'
import { type Cut, firstOf, pagesOf } from './pages.ts'

export type {
  Cut,
  Goal,
  HistoryEntry,
  Job,
  ListTask,
  Plan,
  PlanTask,
  SessionSummary as PlanSummary,
  ShownEvent,
  TreeTask,
}

/** A task of the tree in the state in which it was seen, so that what is done to it is done to that. */
export interface SeenTreeTask {
  readonly task: TreeTask
  readonly state: string | null
  /** How many tasks were brought back, by a restoration. */
  readonly restored?: number
}

/** Why a task would be given its grimoire. */
export interface Explained {
  readonly selected_grimoire: string
  readonly matched_by: string
  readonly evaluation: readonly {
    readonly name: string
    readonly matched: boolean
    readonly reason: string
  }[]
  readonly matcher_file_error?: string
}

/** The words of a goal or of a task. */
export type PlanWords = Pick<PlanTask, 'title' | 'description'>

export type PlanEdit = Partial<PlanWords & Pick<PlanTask, 'status'>> & { readonly reason?: string }

/** A job in the state in which it was seen. */
export interface SeenJob {
  readonly job: Job
  readonly state: string | null
}

export interface Paged<T> {
  readonly items: readonly T[]
  readonly cursor: string | null
}

const listMax = 1000
const eventsMax = 200
const pageSize = 100
/** More tasks than this are not drawn as one tree. */
const treeMax = 5000

/** The operations of a server beyond those of the queue. */
export class Api {
  readonly #http: Http
  /** Who the server says we are; it refuses what that role may not do. */
  readonly caller: Caller
  /** In whose name tasks of the tree are changed where nobody says: a named token’s own. */
  readonly usualAgent: string
  agent: string

  constructor(http: Http, caller: Caller) {
    this.#http = http
    this.caller = caller
    this.usualAgent = caller.name ?? 'dashboard'
    this.agent = this.usualAgent
  }

  /** Asks for an operation, as its row says. */
  ask<I extends Inputs, W>(row: Row<I, W>, given: Given<I>, more?: Circumstances) {
    return this.#http.ask<W>(...requestFor(row, given, more))
  }

  async #body<I extends Inputs, W>(row: Row<I, W>, given: Given<I>, more?: Circumstances) {
    return (await this.ask(row, given, more)).body
  }

  /** The first items of a list, so many at most, and how many there are. */
  #first<I extends Inputs, T>(
    row: Row<I, readonly T[]>,
    given: Given<I>,
    { max, signal }: { max: number; signal: AbortSignal | undefined },
  ): Promise<Cut<T>> {
    const [path, asked] = requestFor(row, given, { signal })
    return firstOf(this.#http, path, { ...asked, max })
  }

  plans(signal?: AbortSignal): Promise<Cut<SessionSummary>> {
    return this.#first(plan.list, { limit: listMax }, { max: listMax, signal })
  }

  async plan(sid: string, signal?: AbortSignal): Promise<Plan> {
    let first: Plan | undefined
    const tasks: PlanTask[] = []
    for await (const { body } of pagesOf<Plan>(
      this.#http,
      ...requestFor(plan.plan, { sid }, { signal }),
    )) {
      tasks.push(...body.tasks)
      first ??= body
    }
    return { ...(first as Plan), tasks }
  }

  async planEvents(sid: string, signal?: AbortSignal): Promise<Cut<ShownEvent>> {
    const { body, headers } = await this.ask(plan.events, { sid, limit: eventsMax }, { signal })
    return { items: body, total: Number(headers.get('X-Total-Count') ?? body.length) }
  }

  setPlanGoal(sid: string, words: PlanWords) {
    return this.ask(plan.setGoal, { sid, ...words })
  }

  addPlanTask(sid: string, task: PlanWords) {
    return this.ask(plan.addTasks, { sid, tasks: [task] })
  }

  /** Changes the goal or a task of a plan, on the condition that it is what was seen. */
  editPlan(sid: string, seen: Goal | PlanTask, edit: PlanEdit) {
    const state = `"${planStateOf(seen)}"`
    if ('id' in seen) return this.ask(plan.updateTask, { sid, id: seen.id, ...edit }, { state })
    return this.ask(plan.updateGoal, { sid, ...edit }, { state })
  }

  listTasks(
    { any, done }: { any?: string | undefined; done?: boolean | undefined },
    signal?: AbortSignal,
  ): Promise<Cut<ListTask>> {
    const filter = {
      ...(any ? { any: [any] } : {}),
      ...(done === undefined ? {} : { done }),
      limit: listMax,
    }
    return this.#first(list.query, filter, { max: listMax, signal })
  }

  listTask(id: string): Promise<ListTask> {
    return this.#body(list.get, { id })
  }

  listTags(signal?: AbortSignal) {
    return this.#body(list.tags, {}, { signal })
  }

  addListTask(text: string, tags: readonly string[]): Promise<ListTask> {
    return this.#body(list.add, { text, tags })
  }

  /** Changes a task of the list, on the condition that it is what was seen. */
  editListTask(seen: ListTask, edit: Partial<Pick<ListTask, 'text' | 'done' | 'tags'>>) {
    return this.#body(list.update, { id: seen.id, ...edit }, asSeen(seen))
  }

  deleteListTask(seen: ListTask) {
    return this.ask(list.delete, { id: seen.id }, asSeen(seen))
  }

  async jobs(status: string, cursor: string | null, signal?: AbortSignal) {
    const filter = {
      ...(status ? { status: status as TaskStatus } : {}),
      ...(cursor === null ? {} : { cursor }),
    }
    const { body, headers } = await this.ask(jobs.list, { ...filter, limit: pageSize }, { signal })
    return { items: body, cursor: headers.get('X-Next-Cursor') } satisfies Paged<Job>
  }

  async job(id: string, signal?: AbortSignal): Promise<SeenJob> {
    return seenJob(await this.ask(jobs.get, { id }, { signal }))
  }

  jobByKey(key: string): Promise<Job> {
    return this.#body(jobs.byKey, { key })
  }

  /** Makes a job pending again, with one more attempt where there is none left, such as when a worker died on the last one. */
  async retryJob({ job, state }: SeenJob): Promise<SeenJob> {
    const { id, status, attempts, max_attempts } = job
    const isSpent = max_attempts > 0 && attempts >= max_attempts
    const more = status === 'failed' || isSpent ? { attempts: 1 } : {}
    return seenJob(await this.ask(jobs.retry, { id, ...more }, { state }))
  }

  deleteJob({ job: { id }, state }: SeenJob) {
    return this.ask(jobs.delete, { id }, { state })
  }

  treeTasks(signal?: AbortSignal): Promise<Cut<TreeTask>> {
    return this.#first(tree.lists.list, { limit: listMax }, { max: treeMax, signal })
  }

  async treeTask(id: string, signal?: AbortSignal): Promise<SeenTreeTask> {
    return seenTask(await this.ask(tree.tasks.get, { id }, { signal }))
  }

  treeHistory(id: string, signal?: AbortSignal): Promise<Cut<HistoryEntry>> {
    const part = { id, limit: eventsMax }
    return this.#first(tree.insight.history, part, { max: eventsMax, signal })
  }

  async explain(id: string, signal?: AbortSignal): Promise<Explained> {
    const path = `/api/tasks/${encodeURIComponent(id)}/grimoire-match`
    return (await this.#http.ask<Explained>(path, { signal })).body
  }

  /** Changes a task, if that is still in the state in which it was seen. */
  async treeVerb({ task, state }: SeenTreeTask, verb: TreeVerb, given: object = {}) {
    const { id } = task
    return seenTask(await this.ask(verb, { ...given, id, agent: this.agent }, { state }))
  }

  createTreeTask(task: NewTreeTask): Promise<TreeTask> {
    return this.#body(tree.tasks.create, { ...task, agent: this.agent })
  }
}

/** What changes a task of the tree. */
export type TreeVerb = Row<Inputs, TreeTask>

/** A task of the tree as it is typed. */
export type NewTreeTask = Pick<TreeTask, 'title' | 'body' | 'type' | 'priority' | 'parent_id'> & {
  readonly tags: readonly string[]
}

const asSeen = (task: ListTask) => ({ state: `"${stateOf(task)}"` })

const seenTask = ({ body, headers }: Answered<TreeTask & { restored?: number }>): SeenTreeTask => ({
  task: body,
  state: stateIn(headers),
  ...(body.restored === undefined ? {} : { restored: body.restored }),
})

const seenJob = ({ body, headers }: Answered<Job>): SeenJob => ({
  job: body,
  state: stateIn(headers),
})
