import type { StoredTask } from '../../../src/jobs/task.ts'
import { stateOf } from '../../../src/list/state.ts'
import type { Task as ListTask } from '../../../src/list/task.ts'
import { stateOf as planStateOf } from '../../../src/plan/condition.ts'
import type { Goal, PlanTask, Session } from '../../../src/plan/documents.ts'
import type { PlanEvent } from '../../../src/plan/event.ts'
import type { Task as TreeTask } from '../../../src/tree/task.ts'
import type { Answered, Http } from './http.ts'

export type { Goal, ListTask, PlanEvent, PlanTask, TreeTask }

/** A task of the tree, and the version of it, so that what is done to it is done to that. */
export interface SeenTreeTask {
  readonly task: TreeTask
  readonly etag: string | null
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
export type PlanWords = Pick<PlanTask, 'title' | 'description'>

export type PlanEdit = Partial<PlanWords & Pick<PlanTask, 'status'>> & { readonly reason?: string }

/** One that can't be read has only its number, and says why. */
export type ShownEvent = PlanEvent | { readonly seq: number; readonly problem: string }

export type Job = Omit<StoredTask, 'payload' | 'result'> & {
  readonly payload: unknown
  readonly result: unknown
}

/** Some of so many. */
export interface Cut<T> {
  readonly items: readonly T[]
  readonly total: number
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
  /** In whose name tasks of the tree are changed. */
  agent = 'dashboard'

  constructor(http: Http) {
    this.#http = http
  }

  async plans(signal?: AbortSignal): Promise<Cut<PlanSummary>> {
    return cut(await this.#http.ask('/api/plans', { query: { limit: listMax }, signal }))
  }

  async plan(sid: string, signal?: AbortSignal): Promise<Plan> {
    return (await this.#http.ask<Plan>(`/api/plans/${segment(sid)}`, { signal })).body
  }

  async planEvents(sid: string, signal?: AbortSignal): Promise<Cut<ShownEvent>> {
    const path = `/api/plans/${segment(sid)}/events`
    return cut(await this.#http.ask(path, { query: { limit: eventsMax }, signal }))
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
    return cut(await this.#http.ask('/api/list/tasks', { query, signal }))
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
    await this.#http.ask(path, { method: 'PATCH', body, headers: asSeen(seen) })
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

  async job(id: string, signal?: AbortSignal): Promise<Job> {
    return (await this.#http.ask<Job>(`/api/jobs/${segment(id)}`, { signal })).body
  }

  async jobByKey(key: string): Promise<Job> {
    return (await this.#http.ask<Job>('/api/jobs/by-key', { query: { key } })).body
  }

  async retryJob(id: string, attempts?: number): Promise<Job> {
    const body = attempts === undefined ? {} : { attempts }
    const path = `/api/jobs/${segment(id)}/retry`
    return (await this.#http.ask<Job>(path, { method: 'POST', body })).body
  }

  async deleteJob(id: string): Promise<void> {
    await this.#http.ask(`/api/jobs/${segment(id)}`, { method: 'DELETE' })
  }

  async treeTasks(signal?: AbortSignal): Promise<Cut<TreeTask>> {
    const items: TreeTask[] = []
    for (;;) {
      const query = { limit: listMax, offset: items.length }
      const page = cut<TreeTask>(await this.#http.ask('/api/tasks', { query, signal }))
      items.push(...page.items)
      if (page.items.length === 0 || items.length >= page.total || items.length >= treeMax)
        return { items, total: page.total }
    }
  }

  async treeTask(id: string, signal?: AbortSignal): Promise<SeenTreeTask> {
    return seen(await this.#http.ask<TreeTask>(`/api/tasks/${segment(id)}`, { signal }))
  }

  async treeHistory(id: string, signal?: AbortSignal): Promise<Cut<HistoryEntry>> {
    const path = `/api/tasks/${segment(id)}/history`
    return cut(await this.#http.ask(path, { query: { limit: eventsMax }, signal }))
  }

  async explain(id: string, signal?: AbortSignal): Promise<Explained> {
    const path = `/api/tasks/${segment(id)}/grimoire-match`
    return (await this.#http.ask<Explained>(path, { signal })).body
  }

  /** A verb on a task. Where the version is given, it holds for that one only. */
  async treeVerb(id: string, verb: TreeVerb, { etag, ...given }: TreeRequest = {}) {
    const { body } = await this.#http.ask<TreeTask>(`/api/tasks/${segment(id)}/${verb.path}`, {
      method: verb.method ?? 'POST',
      ...(given.query ? { query: given.query } : {}),
      body: given.body ?? {},
      headers: { 'X-Agent-ID': this.agent, ...(etag ? { 'If-Match': etag } : {}) },
    })
    return body
  }

  async createTreeTask(body: NewTreeTask): Promise<TreeTask> {
    const headers = { 'X-Agent-ID': this.agent }
    return (await this.#http.ask<TreeTask>('/api/tasks', { method: 'POST', body, headers })).body
  }

  async editTreeTask({ task, etag }: SeenTreeTask, body: Partial<NewTreeTask>): Promise<TreeTask> {
    const headers = { 'X-Agent-ID': this.agent, ...(etag ? { 'If-Match': etag } : {}) }
    const path = `/api/tasks/${segment(task.id)}`
    return (await this.#http.ask<TreeTask>(path, { method: 'PATCH', body, headers })).body
  }
}

export interface TreeVerb {
  readonly path: string
  readonly method?: 'POST' | 'PUT' | 'PATCH'
}

/** A task of the tree as it is typed. */
export type NewTreeTask = Pick<TreeTask, 'title' | 'body' | 'type' | 'priority' | 'parent_id'> & {
  readonly tags: readonly string[]
}

interface TreeRequest {
  readonly etag?: string | null
  readonly query?: Readonly<Record<string, string | boolean>>
  readonly body?: unknown
}

/** More tasks than this are not drawn as one tree. */
const treeMax = 5000

const asSeen = (task: ListTask) => ({ 'If-Match': `"${stateOf(task)}"` })

const seen = ({ body, headers }: Answered<TreeTask>): SeenTreeTask => ({
  task: body,
  etag: headers.get('ETag'),
})

const cut = <T>({ body, headers }: Answered<readonly T[]>): Cut<T> => ({
  items: body,
  total: Number(headers.get('X-Total-Count') ?? body.length),
})
