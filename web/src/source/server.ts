import type { Caller } from '../../../src/access/role.ts'
import type { TaskVersion } from '../../../src/queue/history.ts'
import type { Stats } from '../../../src/queue/stats.ts'
import type { Task } from '../../../src/queue/task.ts'
import type { WorkerStatus } from '../../../src/queue/worker-info.ts'
import { hearTime } from '../clock.ts'
import { Api } from './api.ts'
import { followChanges } from './changes.ts'
import { Failure } from './failure.ts'
import { Http, ifMatch, stateIn } from './http.ts'
import { pagesOf } from './pages.ts'
import type { ListedTask, Model, QueueSource, Source } from './source.ts'

interface About {
  readonly store: string
  readonly durability: string
  readonly version: string
  readonly models: readonly Model[]
  readonly now: string
  /** Left out where it is no named token: then it may do everything. */
  readonly caller?: Caller
}

/** Changes are told as they happen; this is for what only time changes, such as workers that fall silent. */
const pollMs = 30_000

/** The server that the page came from; null where there is none, but a bucket or a plain host of files. */
export async function connectServer(base: URL, token: string | null): Promise<Source | null> {
  const http = new Http(base, token)
  const from = Date.now()
  const about = await http.ask<About>('/api/models').catch((error: unknown) => {
    if (isNoServer(error)) return null
    throw error
  })
  if (about === null || !Array.isArray(about.body?.models)) return null
  const { store, durability, version, models, now, caller = everybody } = about.body
  hearTime(Date.parse(now), { from, to: Date.now(), grainMs: 0 })
  return {
    kind: 'server',
    title: `${store} store`,
    detail: `${durability}, Holdfast ${version}${told(caller)}`,
    models,
    queue: queueOf(http),
    api: new Api(http, caller),
    pollMs,
    warnings: [],
    follow: (onHint, onConnection) => followChanges(http, models, onHint, onConnection),
  }
}

const everybody: Caller = { name: null, role: 'admin' }

const told = ({ name, role }: Caller): string => (name === null ? '' : `, ${name} (${role})`)

/** A bucket answers such a path with XML, and with 403 or 404; a host of files with 404. */
const isNoServer = (error: unknown): boolean =>
  error instanceof Failure && error.code === null && error.kind !== 'unreachable'

const queueOf = (http: Http): QueueSource => {
  const at = (id: string, ...rest: readonly string[]) =>
    ['/api/queue/tasks', encodeURIComponent(id), ...rest].join('/')
  return {
    list: async (filter, cursor, limit, signal) => {
      const query = { ...filter, cursor, limit }
      const answer = await http.ask<ListedTask[]>('/api/queue/tasks', { query, signal })
      const { body: tasks, headers } = answer
      const next = headers.get('X-Next-Cursor')
      const isShort = next !== null && tasks.length < limit
      return { tasks, cursor: next, isShort, corrupt: [], cutShards: [] }
    },
    get: async (id, signal) => {
      const { body, headers } = await http.ask<ListedTask>(at(id), { signal })
      return { task: body, revision: stateIn(headers) }
    },
    history: async (id, signal) => {
      const versions: TaskVersion[] = []
      for await (const { body } of pagesOf<TaskVersion[]>(http, at(id, 'history'), { signal }))
        versions.push(...body)
      return versions
    },
    counts: async (signal) => {
      const { body, headers } = await http.ask<Stats>('/api/queue/stats', { signal })
      const ageMs = Number(headers.get('Age') ?? 0) * 1_000
      return { ...body, ageMs, isCut: false, unread: 0 }
    },
    workers: async (signal) =>
      (await http.ask<WorkerStatus[]>('/api/queue/workers', { signal })).body,
    act: async ({ task, revision }, action) => {
      const headers = ifMatch(revision)
      return (await http.ask<Task>(at(task.id, action), { method: 'POST', headers })).body
    },
    submit: async ({ type, input, delaySeconds, maxRetries, timeoutSeconds, idempotencyKey }) => {
      const body = {
        type,
        input,
        ...(delaySeconds === null ? {} : { delay_ms: delaySeconds * 1000 }),
        ...(maxRetries === null ? {} : { max_retries: maxRetries }),
        ...(timeoutSeconds === null ? {} : { timeout_seconds: timeoutSeconds }),
        ...(idempotencyKey === null ? {} : { idempotency_key: idempotencyKey }),
      }
      return (await http.ask<Task>('/api/queue/tasks', { method: 'POST', body })).body
    },
    countAll: () => {},
  }
}
