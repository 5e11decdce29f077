import { type App, appOf } from '../../../src/http/app.ts'
import { covenApi } from '../../../src/http/tree/api.ts'
import type { LiveFeed } from '../../../src/http/tree/live-feed.ts'
import { StoreError } from '../../../src/store/index.ts'
import type { Task, TaskTree } from '../../../src/tree/index.ts'
import { answerOf, type Request } from './http-server.ts'
import type { Access } from './tree-access.ts'
import type { Ask, Refused, Said, Verb } from './tree-asks.ts'

/** What a client hears over HTTP that is no success. */
export class AnswerError extends Error implements Refused {
  readonly code: string
  readonly status: number
  readonly details: Refused['details']

  constructor(status: number, body: { error: string; code: string; details: Refused['details'] }) {
    super(body.error)
    this.status = status
    this.code = body.code
    this.details = body.details
  }
}

/** Whose tree the application asks: making one takes long, and it asks at once when it is called. */
let asked: TaskTree
let app: App | undefined

const treeNow = new Proxy({} as TaskTree, {
  get(_, name) {
    const value = asked[name as keyof TaskTree] as unknown
    return typeof value === 'function' ? value.bind(asked) : value
  },
})

function theApp(): App {
  const matchers = async () => ({ rules: [], problem: null })
  const feed = {} as LiveFeed
  const limits = { bodyBytesMax: 1_000_000, bodyMsMax: 10_000 }
  app ??= appOf(covenApi({ tree: treeNow, matchers, feed, version: '0.0.0' }), {
    ...limits,
    ending: new AbortController().signal,
    log: () => {},
  })
  return app
}

interface Heard {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** One request within the process, without a socket. Throws what is no success. */
async function request(tree: TaskTree, sending: Request): Promise<Heard> {
  asked = tree
  const response = await answerOf(theApp(), sending)
  const text = await response.text()
  const heard: Heard = {
    status: response.status,
    headers: response.headers,
    body: text === '' ? null : JSON.parse(text),
  }
  if (response.ok) return heard
  throw failureOf(heard)
}

/** A store that fails says over HTTP, too, whether anything may have happened. */
function failureOf({ status, body }: Heard): Error {
  const error = new AnswerError(status, body as ConstructorParameters<typeof AnswerError>[1])
  if (error.code !== 'STORE_UNAVAILABLE') return error
  const isUnknown = error.details['outcome'] === 'unknown_outcome'
  return new StoreError(isUnknown ? 'lost_answer' : 'down', error.message, 'Try again.')
}

type Row = (ask: Ask) => { method?: string; path: string; body?: unknown }

const rows: Readonly<Record<Verb, Row>> = {
  create: ({ id, mark, tags }) => ({
    path: id === '' ? '' : `/${id}/subtasks`,
    body: { title: mark, tags },
  }),
  claim: ({ tags }) => ({ path: '/claim', body: { tags } }),
  reclaim: () => ({ path: '/reclaim' }),
  release: ({ isForced }) => ({ path: isForced ? '/release?force=true' : '/release' }),
  complete: ({ mark, isUnreviewed }) => ({
    path: '/complete',
    body: { summary: mark, skip_review: isUnreviewed },
  }),
  block: ({ mark }) => ({ path: '/block', body: { reason: mark } }),
  unblock: () => ({ path: '/unblock' }),
  approve: () => ({ path: '/approve' }),
  reject: ({ mark }) => ({ path: '/reject', body: { reason: mark } }),
  setStatus: ({ to, mark }) => ({
    method: 'PATCH',
    path: '/status',
    body: { status: to, reason: mark },
  }),
  edit: ({ mark }) => ({ method: 'PATCH', path: '', body: { title: mark } }),
  addTags: ({ tags }) => ({ path: '/tags', body: { tags } }),
  setTags: ({ tags }) => ({ method: 'PUT', path: '/tags', body: { tags } }),
  removeTags: ({ tags }) => ({ method: 'DELETE', path: '/tags', body: { tags } }),
  reparent: ({ to }) => ({ path: '/reparent', body: { new_parent_id: to } }),
  restore: () => ({ path: '/restore' }),
  delete: () => ({ method: 'DELETE', path: '' }),
}

function sendingOf(ask: Ask): Request {
  const { method = 'POST', path, body } = rows[ask.verb](ask)
  const place = ask.verb === 'create' ? '' : `/${ask.id}`
  const version = ask.version === undefined ? {} : { 'if-match': `"${ask.version}-0"` }
  return {
    method,
    path: `/api/tasks${place}${path}`,
    body,
    headers: { 'x-agent-id': ask.agent, ...version },
  }
}

/** The version that an ETag names. */
const versionIn = (headers: Headers): number | undefined => {
  const digits = /^"(\d+)-\d+"$/.exec(headers.get('etag') ?? '')?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** A client of the HTTP API. */
export const httpAccess = (tree: TaskTree): Access => ({
  async change(ask) {
    const { body, headers } = await request(tree, sendingOf(ask))
    const task = body as Said['task'] & { restored?: number }
    const isChanged = ask.verb !== 'reclaim' && headers.get('x-changed') !== 'false'
    return { task, version: versionIn(headers), isChanged, restored: task.restored }
  },
  async remove(ask) {
    await request(tree, sendingOf(ask))
    return []
  },
  async read(id) {
    const { body, headers } = await request(tree, { method: 'GET', path: `/api/tasks/${id}` })
    return { task: body as Task, version: versionIn(headers) ?? -1 }
  },
  async ready() {
    const path = '/api/tasks/ready?limit=1000'
    return (await request(tree, { method: 'GET', path })).body as Task[]
  },
})
