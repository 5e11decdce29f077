import type { Caller } from '../../../src/access/role.ts'
import { answerOf, type Client, type Page } from '../../../src/client/index.ts'
import type { Job } from '../../../src/jobs/operations.ts'
import { stateOf as stateOfListed } from '../../../src/list/state.ts'
import type { Task as ListTask } from '../../../src/list/task.ts'
import type { Plan, SessionSummary as PlanSummary } from '../../../src/plan/answers.ts'
import { stateOf as planStateOf } from '../../../src/plan/condition.ts'
import type { Goal, PlanTask } from '../../../src/plan/documents.ts'
import type { ShownEvent } from '../../../src/plan/operations.ts'
import type { HistoryEntry } from '../../../src/tree/history.ts'
import type { Task as TreeTask } from '../../../src/tree/task.ts'

export type { Goal, HistoryEntry, Job, ListTask, Plan, PlanSummary, PlanTask, ShownEvent, TreeTask }

/** Some of so many. */
export interface Cut<T> {
  readonly items: readonly T[]
  readonly total: number
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
type PlanWords = Pick<PlanTask, 'title' | 'description'>

type PlanEdit = Partial<PlanWords & Pick<PlanTask, 'status'>> & { readonly reason?: string }

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

/** What a server does beyond the queue. */
export class Api {
  readonly #client: Client
  /** Who the server says we are; it refuses what that role may not do. */
  readonly caller: Caller
  /** In whose name tasks of the tree are changed where nobody says: a named token’s own. */
  readonly usualAgent: string
  agent: string

  constructor(client: Client, caller: Caller) {
    this.#client = client
    this.caller = caller
    this.usualAgent = caller.name ?? 'dashboard'
    this.agent = this.usualAgent
  }

  plans(signal?: AbortSignal): Promise<Cut<PlanSummary>> {
    return firstOf(this.#client.plan.list.pages({ limit: listMax }, { signal }), listMax)
  }

  plan(sid: string, signal?: AbortSignal): Promise<Plan> {
    return this.#client.plan.plan({ sid }, { signal })
  }

  async planEvents(sid: string, signal?: AbortSignal): Promise<Cut<ShownEvent>> {
    const { items, total } = await this.#client.plan.events({ sid, limit: eventsMax }, { signal })
    return { items, total: total ?? items.length }
  }

  async setPlanGoal(sid: string, words: PlanWords): Promise<void> {
    await this.#client.plan.setGoal({ sid, ...words })
  }

  async addPlanTask(sid: string, task: PlanWords): Promise<void> {
    await this.#client.plan.addTasks({ sid, tasks: [task] })
  }

  /** Changes the goal or a task of a plan, on the condition that it is what was seen. */
  async editPlan(sid: string, seen: Goal | PlanTask, edit: PlanEdit): Promise<void> {
    const { plan } = this.#client
    const condition = { ifMatch: planStateOf(seen) }
    if ('id' in seen) await plan.updateTask({ sid, id: seen.id, ...edit }, condition)
    else await plan.updateGoal({ sid, ...edit }, condition)
  }

  listTasks(
    filter: { any?: string | undefined; done?: boolean | undefined },
    signal?: AbortSignal,
  ): Promise<Cut<ListTask>> {
    const { any, done } = filter
    const query = { any: any ? [any] : undefined, done, limit: listMax }
    return firstOf(this.#client.list.query.pages(query, { signal }), listMax)
  }

  listTask(id: string): Promise<ListTask> {
    return this.#client.list.get({ id })
  }

  async listTags(signal?: AbortSignal): Promise<readonly { tag: string; count: number }[]> {
    return (await this.#client.list.tags({}, { signal })).items
  }

  addListTask(text: string, tags: readonly string[]): Promise<ListTask> {
    return this.#client.list.add({ text, tags })
  }

  /** Changes a task of the list, on the condition that it is what was seen. */
  editListTask(seen: ListTask, edit: Partial<Pick<ListTask, 'text' | 'done' | 'tags'>>) {
    return this.#client.list.update({ id: seen.id, ...edit }, { ifMatch: stateOfListed(seen) })
  }

  async deleteListTask(seen: ListTask): Promise<void> {
    await this.#client.list.delete({ id: seen.id }, { ifMatch: stateOfListed(seen) })
  }

  jobs(status: string, cursor: string | null, signal?: AbortSignal): Promise<Paged<Job>> {
    const query = given({ status: status as Job['status'], cursor, limit: pageSize })
    return this.#client.jobs.list(query, { signal })
  }

  async job(id: string, signal?: AbortSignal): Promise<SeenJob> {
    return seenJob(await this.#client.jobs.get({ id }, { signal }))
  }

  jobByKey(key: string): Promise<Job> {
    return this.#client.jobs.byKey({ key })
  }

  /** Makes a job pending again. One more attempt where there is none left, such as when a worker died on the last one. */
  async retryJob({ job, state }: SeenJob): Promise<SeenJob> {
    const { id, status, attempts, max_attempts: max } = job
    const isSpent = max > 0 && attempts >= max
    const more = status === 'failed' || isSpent ? { attempts: 1 } : {}
    return seenJob(await this.#client.jobs.retry({ id, ...more }, whileSeen(state)))
  }

  async deleteJob({ job, state }: SeenJob): Promise<void> {
    await this.#client.jobs.delete({ id: job.id }, whileSeen(state))
  }

  treeTasks(signal?: AbortSignal): Promise<Cut<TreeTask>> {
    return firstOf(this.#client.tree.list.pages({ limit: listMax }, { signal }), treeMax)
  }

  async treeTask(id: string, signal?: AbortSignal): Promise<SeenTreeTask> {
    return seenTask(await this.#client.tree.get({ id }, { signal }))
  }

  treeHistory(id: string, signal?: AbortSignal): Promise<Cut<HistoryEntry>> {
    const pages = this.#client.tree.history.pages({ id, limit: eventsMax }, { signal })
    return firstOf(pages, eventsMax)
  }

  explain(id: string, signal?: AbortSignal): Promise<Explained> {
    const path = `/api/tasks/${encodeURIComponent(id)}/grimoire-match`
    return this.#client.request('GET', path, { signal })
  }

  /** Runs a verb on a task, if that is still in the state in which it was seen. */
  async treeVerb<N extends TreeVerb>({ task, state }: SeenTreeTask, verb: N, more: VerbInput<N>) {
    const ask = this.#client.tree[verb] as unknown as (
      given: object,
      on: object,
    ) => Promise<TreeTask>
    const given = { id: task.id, agent: this.agent, ...more }
    return seenTask(await ask(given, whileSeen(state)))
  }

  createTreeTask(task: NewTreeTask): Promise<TreeTask> {
    return this.#client.tree.create({ ...task, agent: this.agent })
  }

  async editTreeTask({ task: { id }, state }: SeenTreeTask, edit: Partial<NewTreeTask>) {
    const given = { id, ...edit, agent: this.agent }
    return seenTask(await this.#client.tree.update(given, whileSeen(state)))
  }
}

type Tree = Client['tree']

/** What can be done to one task in one state. */
export type TreeVerb = Extract<
  keyof Tree,
  | `${'un' | ''}block`
  | `${'re' | ''}claim`
  | 'approve'
  | 'complete'
  | 'reject'
  | 'release'
  | 'reparent'
  | 'restore'
  | 'setStatus'
  | 'setTags'
>

/** What a verb is given besides the task. */
export type VerbInput<N extends TreeVerb> = Omit<
  NonNullable<Parameters<Tree[N]>[0]>,
  'id' | 'agent'
>

/** A task of the tree as it is typed. */
export type NewTreeTask = Pick<TreeTask, 'title' | 'body' | 'type' | 'priority' | 'parent_id'> & {
  readonly tags: readonly string[]
}

/** More tasks than this are not drawn as one tree. */
const treeMax = 5000

/** The state that an answer came with; null where a proxy has removed it. */
export const stateOf = (value: object): string | null => answerOf(value)?.etag ?? null

/** Ties a change to the state that was seen. Without one the client sends nothing. */
export const whileSeen = (state: string | null) => ({ ifMatch: state ?? {} })

type Filled<T> = { readonly [Name in keyof T]: Exclude<T[Name], null | ''> | undefined }

/** Filters without those that are empty. */
export const given = <T extends object>(filters: T): Filled<T> =>
  Object.fromEntries(
    Object.entries(filters).filter(([, value]) => value !== null && value !== ''),
  ) as Filled<T>

/** The first items of a list, so many at most, and how many there are. */
async function firstOf<T>(pages: AsyncIterable<Page<T>>, max: number): Promise<Cut<T>> {
  const found: T[] = []
  let count = 0
  for await (const { items, total } of pages) {
    found.push(...items)
    count = total ?? found.length
    if (found.length >= max) break
  }
  return { items: found.slice(0, max), total: count }
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const seenTask = (task: TreeTask & { readonly restored?: number }): SeenTreeTask => ({
  task,
  state: stateOf(task),
  ...(task.restored === undefined ? {} : { restored: task.restored }),
})

const seenJob = (job: Job): SeenJob => ({ job, state: stateOf(job) })
