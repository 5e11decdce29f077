import type { Caller } from '../../../src/access/role.ts'
import { answerOf, type Client } from '../../../src/client/index.ts'
import { hearTime } from '../clock.ts'
import { Api, collected, given, stateOf, whileSeen } from './api.ts'
import { followChanges } from './changes.ts'
import { clientAt } from './client.ts'
import { failureOf } from './failure.ts'
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
  const client = clientAt(base, token)
  const from = Date.now()
  const about = await client.request<About | null>('GET', '/api/models').catch((error: unknown) => {
    if (isNoServer(error)) return null
    throw failureOf(error)
  })
  if (!Array.isArray(about?.models)) return null
  const { store, durability, version, models, now, caller = everybody } = about
  hearTime(Date.parse(now), { from, to: Date.now(), grainMs: 0 })
  return {
    kind: 'server',
    title: `${store} store`,
    detail: `${durability}, Holdfast ${version}${told(caller)}`,
    models,
    queue: queueOf(client),
    api: new Api(client, caller),
    pollMs,
    warnings: [],
    follow: (onHint, onConnection) => followChanges(client, models, onHint, onConnection),
  }
}

const everybody: Caller = { name: null, role: 'admin' }

const told = ({ name, role }: Caller): string => (name === null ? '' : `, ${name} (${role})`)

/** A bucket answers such a path with XML, and with 403 or 404; a host of files with 404. */
const isNoServer = (error: unknown): boolean => {
  const { code, kind } = failureOf(error)
  return code === null && kind !== 'unreachable'
}

const queueOf = ({ queue }: Client): QueueSource => ({
  list: async (filter, cursor, limit, signal) => {
    const page = await queue.list(given({ ...filter, cursor, limit }), { signal })
    const isShort = page.cursor !== null && page.items.length < limit
    return { tasks: page.items, cursor: page.cursor, isShort, corrupt: [], cutShards: [] }
  },
  get: async (id, signal) => {
    const task = await queue.get({ id }, { signal })
    return { task, revision: stateOf(task) }
  },
  history: (id, signal) => collected(queue.history.all({ id }, { signal })),
  counts: async (signal) => {
    const stats = await queue.stats({}, { signal })
    const ageMs = Number(answerOf(stats)?.headers.get('Age') ?? 0) * 1_000
    return { ...stats, ageMs, isCut: false, unread: 0 }
  },
  workers: async (signal) => (await queue.workers({}, { signal })).items,
  act: ({ task, revision }, action) => queue[action]({ id: task.id }, whileSeen(revision)),
  submit: ({ type, input, delaySeconds, maxRetries, timeoutSeconds, idempotencyKey }) =>
    queue.submit({
      type,
      input,
      delay_ms: delaySeconds === null ? undefined : delaySeconds * 1000,
      max_retries: maxRetries ?? undefined,
      timeout_seconds: timeoutSeconds ?? undefined,
      idempotency_key: idempotencyKey ?? undefined,
    }),
  countAll: () => {},
})
