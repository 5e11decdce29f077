import type { Caller } from '../../../src/access/role.ts'
import type { TaskVersion } from '../../../src/queue/history.ts'
import { operations } from '../../../src/queue/operations.ts'
import type { Given, Inputs } from '../../../src/schema/operation.ts'
import { hearTime } from '../clock.ts'
import { Api } from './api.ts'
import { type Circumstances, type Row, requestFor } from './call.ts'
import { followChanges } from './changes.ts'
import { Failure } from './failure.ts'
import { Http, stateIn } from './http.ts'
import { pagesOf } from './pages.ts'
import type { Model, QueueSource, Source } from './source.ts'

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
  const ask = <I extends Inputs, W>(row: Row<I, W>, given: Given<I>, more?: Circumstances) =>
    http.ask<W>(...requestFor(row, given, more))
  return {
    list: async (filter, cursor, limit, signal) => {
      const given = { ...filter, cursor, limit } as Given<typeof operations.list.input>
      const { body: tasks, headers } = await ask(operations.list, given, { signal })
      const next = headers.get('X-Next-Cursor')
      const isShort = next !== null && tasks.length < limit
      return { tasks, cursor: next, isShort, corrupt: [], cutShards: [] }
    },
    get: async (id, signal) => {
      const { body, headers } = await ask(operations.get, { id }, { signal })
      return { task: body, revision: stateIn(headers) }
    },
    history: async (id, signal) => {
      const versions: TaskVersion[] = []
      const request = requestFor(operations.history, { id }, { signal })
      for await (const { body } of pagesOf<TaskVersion[]>(http, ...request)) versions.push(...body)
      return versions
    },
    counts: async (signal) => {
      const { body, headers } = await ask(operations.stats, {}, { signal })
      const ageMs = Number(headers.get('Age') ?? 0) * 1_000
      return { ...body, ageMs, isCut: false, unread: 0 }
    },
    workers: async (signal) => (await ask(operations.workers, {}, { signal })).body,
    act: async ({ task: { id }, revision }, action) =>
      (await ask(operations[action], { id }, { state: revision })).body,
    submit: async ({ type, input, delaySeconds, maxRetries, timeoutSeconds, idempotencyKey }) => {
      const task = {
        type,
        input,
        ...(delaySeconds === null ? {} : { delay_ms: delaySeconds * 1000 }),
        ...(maxRetries === null ? {} : { max_retries: maxRetries }),
        ...(timeoutSeconds === null ? {} : { timeout_seconds: timeoutSeconds }),
        ...(idempotencyKey === null ? {} : { idempotency_key: idempotencyKey }),
      }
      return (await ask(operations.submit, task)).body
    },
    countAll: () => {},
  }
}
