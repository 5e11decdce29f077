import type { Caller } from '../../../src/access/role.ts'
import type { TaskStatus as JobStatus } from '../../../src/jobs/task.ts'
import { stateOf } from '../../../src/list/state.ts'
import type { Task as ListTask } from '../../../src/list/task.ts'
import { stateOf as planStateOf } from '../../../src/plan/condition.ts'
import type { Goal, PlanTask, Session } from '../../../src/plan/documents.ts'
import type { PlanEvent } from '../../../src/plan/event.ts'
import type { Task as TreeTask } from '../../../src/tree/task.ts'
import { type Answered, type Http, ifMatch, stateIn } from './http.ts'
import { type Cut, firstOf, pagesOf } from './pages.ts'

export type { Cut, Goal, ListTask, PlanTask, TreeTask }

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

export interface HistoryEntry {
  readonly field: string
  readonly old_value: string
  readonly new_value: string
  readonly changed_at: string
  readonly changed_by: string
  readonly reason?: string
  readonly summary?: string
}

export interface PlanSummary {
  readonly session: Session
  readonly goal: Goal | null
}

export interface Plan extends PlanSummary {
  readonly tasks: readonly PlanTask[]
}

/** The words of a goal or of a task. */
type PlanWords = Pick<PlanTask, 'title' | 'description'>

type PlanEdit = Partial<PlanWords & Pick<PlanTask, 'status'>> & { readonly reason?: string }

/** One that can't be read has only its number, and says why. */
export type ShownEvent = PlanEvent | { readonly seq: number; readonly problem: string }

export interface Job {
  readonly id: string
  readonly idempotency_key: string | null
  readonly payload: unknown
  readonly status: JobStatus
  readonly attempts: number
  readonly max_attempts: number
  readonly created_at: string
  readonly claimed_at: string | null
  readonly claimed_by: string | null
  readonly completed_at: string | null
  readonly result: unknown
  readonly error: string | null
}

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

const segment = encodeURIComponent

/** The routes of a server beyond those of the queue. */
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

  async plans(signal?: AbortSignal): Promise<Cut<PlanSummary>> {
    return firstOf(this.#http, '/api/plans', { query: { limit: listMax }, max: listMax, signal })
  }

  async plan(sid: string, signal?: AbortSignal): Promise<Plan> {
    let summary: PlanSummary | undefined
    const pages = pagesOf<Plan>(this.#http, `/api/plans/${segment(sid)}`, { signal })
    const tasks: PlanTask[] = []
    for await (const { body } of pages) {
      tasks.push(...body.tasks)
      summary ??= body
    }
    return { ...(summary as PlanSummary), tasks }
  }

  async planEvents(sid: string, signal?: AbortSignal): Promise<Cut<ShownEvent>> {
    const path = `/api/plans/${segment(sid)}/events`
    const { body, headers } = await this.#http.ask<ShownEvent[]>(path, {
      query: { limit: eventsMax },
      signal,
    })
    return { items: body, total: Number(headers.get('X-Total-Count') ?? body.length) }
  }

  async setPlanGoal(sid: string, body: PlanWords): Promise<void> {
    await this.#http.ask(`/api/plans/${segment(sid)}/goal`, { method: 'POST', body })
  }

  async addPlanTask(sid: string, task: PlanWords): Promise<void> {
    const body = { tasks: [task] }
    await this.#http.ask(`/api/plans/${segment(sid)}/tasks`, { method: 'POST', body })
  }

  /** Changes the goal or a task of a plan, on the condition that it is what was seen. */
  async editPlan(sid: string, seen: Goal | PlanTask, body: PlanEdit): Promise<void> {
    const part = 'id' in seen ? `tasks/${segment(seen.id)}` : 'goal'
    const headers = { 'If-Match': `"${planStateOf(seen)}"` }
    await this.#http.ask(`/api/plans/${segment(sid)}/${part}`, { method: 'PATCH', body, headers })
  }

  async listTasks(
    filter: { any?: string | undefined; done?: boolean | undefined },
    signal?: AbortSignal,
  ): Promise<Cut<ListTask>> {
    const query = { ...filter, limit: listMax }
    return firstOf(this.#http, '/api/list/tasks', { query, max: listMax, signal })
  }

  async listTask(id: string): Promise<ListTask> {
    return (await this.#http.ask<ListTask>(`/api/list/tasks/${segment(id)}`)).body
  }

  async listTags(signal?: AbortSignal): Promise<readonly { tag: string; count: number }[]> {
    const { body } = await this.#http.ask<{ tag: string; count: number }[]>('/api/list/tags', {
      signal,
    })
    return body
  }

  async addListTask(text: string, tags: readonly string[]): Promise<ListTask> {
    const body = { text, tags }
    return (await this.#http.ask<ListTask>('/api/list/tasks', { method: 'POST', body })).body
  }

  /** Changes a task of the list, on the condition that it is what was seen. */
  async editListTask(seen: ListTask, body: Partial<Pick<ListTask, 'text' | 'done' | 'tags'>>) {
    const path = `/api/list/tasks/${segment(seen.id)}`
    const asked = { method: 'PATCH', body, headers: asSeen(seen) }
    return (await this.#http.ask<ListTask>(path, asked)).body
  }

  async deleteListTask(seen: ListTask): Promise<void> {
    const path = `/api/list/tasks/${segment(seen.id)}`
    await this.#http.ask(path, { method: 'DELETE', headers: asSeen(seen) })
  }

  async jobs(status: string, cursor: string | null, signal?: AbortSignal): Promise<Paged<Job>> {
    const query = { status, cursor, limit: pageSize }
    const { body, headers } = await this.#http.ask<Job[]>('/api/jobs', { query, signal })
    return { items: body, cursor: headers.get('X-Next-Cursor') }
  }

  async job(id: string, signal?: AbortSignal): Promise<SeenJob> {
    return seenJob(await this.#http.ask<Job>(`/api/jobs/${segment(id)}`, { signal }))
  }

  async jobByKey(key: string): Promise<Job> {
    return (await this.#http.ask<Job>('/api/jobs/by-key', { query: { key } })).body
  }

  /** Makes a job pending again, with one more attempt where it has had them all. */
  /** One more attempt where there is none left, such as when a worker died on the last one. */
  async retryJob({ job, state }: SeenJob): Promise<SeenJob> {
    const isSpent = job.max_attempts > 0 && job.attempts >= job.max_attempts
    const body = job.status === 'failed' || isSpent ? { attempts: 1 } : {}
    const path = `/api/jobs/${segment(job.id)}/retry`
    return seenJob(
      await this.#http.ask<Job>(path, { method: 'POST', body, headers: ifMatch(state) }),
    )
  }

  async deleteJob({ job, state }: SeenJob): Promise<void> {
    const path = `/api/jobs/${segment(job.id)}`
    await this.#http.ask(path, { method: 'DELETE', headers: ifMatch(state) })
  }

  async treeTasks(signal?: AbortSignal): Promise<Cut<TreeTask>> {
    return firstOf(this.#http, '/api/tasks', { query: { limit: listMax }, max: treeMax, signal })
  }

  async treeTask(id: string, signal?: AbortSignal): Promise<SeenTreeTask> {
    return seenTask(await this.#http.ask<TreeTask>(`/api/tasks/${segment(id)}`, { signal }))
  }

  async treeHistory(id: string, signal?: AbortSignal): Promise<Cut<HistoryEntry>> {
    const path = `/api/tasks/${segment(id)}/history`
    const query = { limit: eventsMax }
    return firstOf(this.#http, path, { query, max: eventsMax, signal })
  }

  async explain(id: string, signal?: AbortSignal): Promise<Explained> {
    const path = `/api/tasks/${segment(id)}/grimoire-match`
    return (await this.#http.ask<Explained>(path, { signal })).body
  }

  /** Runs a verb on a task, if that is still in the state in which it was seen. */
  async treeVerb({ task, state }: SeenTreeTask, verb: TreeVerb): Promise<SeenTreeTask> {
    return seenTask(
      await this.#http.ask<TreeTask>(`/api/tasks/${segment(task.id)}/${verb.path}`, {
        method: verb.method ?? 'POST',
        ...(verb.query ? { query: verb.query } : {}),
        body: verb.body ?? {},
        headers: { 'X-Agent-ID': this.agent, ...ifMatch(state) },
      }),
    )
  }

  async createTreeTask(body: NewTreeTask): Promise<TreeTask> {
    const headers = { 'X-Agent-ID': this.agent }
    return (await this.#http.ask<TreeTask>('/api/tasks', { method: 'POST', body, headers })).body
  }

  async editTreeTask({ task, state }: SeenTreeTask, body: Partial<NewTreeTask>) {
    const headers = { 'X-Agent-ID': this.agent, ...ifMatch(state) }
    const path = `/api/tasks/${segment(task.id)}`
    return seenTask(await this.#http.ask<TreeTask>(path, { method: 'PATCH', body, headers }))
  }
}

export interface TreeVerb {
  readonly path: string
  readonly method?: 'POST' | 'PUT' | 'PATCH'
  readonly query?: Readonly<Record<string, string | boolean>>
  readonly body?: unknown
}

/** A task of the tree as it is typed. */
export type NewTreeTask = Pick<TreeTask, 'title' | 'body' | 'type' | 'priority' | 'parent_id'> & {
  readonly tags: readonly string[]
}

/** More tasks than this are not drawn as one tree. */
const treeMax = 5000

const asSeen = (task: ListTask) => ({ 'If-Match': `"${stateOf(task)}"` })

const seenTask = ({ body, headers }: Answered<TreeTask & { restored?: number }>): SeenTreeTask => ({
  task: body,
  state: stateIn(headers),
  ...(body.restored === undefined ? {} : { restored: body.restored }),
})

const seenJob = ({ body, headers }: Answered<Job>): SeenJob => ({
  job: body,
  state: stateIn(headers),
})
