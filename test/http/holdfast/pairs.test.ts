import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { TaskManager } from '../../../src/jobs/index.ts'
import { Queue } from '../../../src/queue/index.ts'
import { counted, type Store } from '../../../src/store/index.ts'
import { copiesOf } from '../../models/crashes.ts'
import { assertAsIfInTurn, type Named } from '../../models/pairs.ts'
import { servedAll } from './served.ts'

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
const ids = {
  pending: '00000000-0000-4000-8000-000000000000',
  cancelled: '10000000-0000-4000-8000-000000000000',
} as const

const planted = copiesOf(async (store) => {
  const jobs = new TaskManager(store)
  for (const id of ['waits', 'claimed', 'done'])
    await jobs.submit({ id, idempotencyKey: id, payload: bytes(id), maxAttempts: 1 })
  await jobs.claim('claimed', 'w')
  await jobs.claim('done', 'w')
  await jobs.complete('done', bytes('first'))
  const queue = new Queue(store)
  for (const [name, id] of Object.entries(ids))
    await queue.submit({ type: 't', id, idempotencyKey: name })
  await queue.cancel(ids.cancelled)
})

/** What one request is answered with: the words that tell who was first, and nothing random. */
const asking =
  (method: string, path: string, body?: unknown, seen?: string) => async (store: Store) => {
    await using serving = await servedAll(store)
    const headers: Record<string, string> = {}
    if (body !== undefined) headers['Content-Type'] = 'application/json'
    if (seen !== undefined) headers['If-Match'] = (await tags())[seen] as string
    const given = body === undefined ? null : JSON.stringify(body)
    const answer = await fetch(serving.url + path, { method, headers, body: given })
    const text = await answer.text()
    const told = text === '' ? {} : JSON.parse(text)
    const { code, status, claimed_by, attempts, payload, result, is_changed } = told
    return { http: answer.status, code, status, claimed_by, attempts, payload, result, is_changed }
  }

let known: Promise<Record<string, string>> | undefined

/** The state of each job and task as it was planted, which is what both have seen. */
function tags(): Promise<Record<string, string>> {
  known ??= (async () => {
    await using store = await planted()
    await using serving = await servedAll(store)
    const paths = [waits, claimed, '/api/jobs/done', `${queued}/${ids.pending}`]
    const seen = paths.map(async (path) => {
      const answer = await fetch(serving.url + path)
      await answer.text()
      return [path, answer.headers.get('ETag') as string] as const
    })
    return Object.fromEntries(await Promise.all(seen))
  })()
  return known
}

/** How many calls a server makes of its store before it is asked anything. */
async function startCalls(): Promise<number> {
  await using store = counted(await planted())
  await using _ = await servedAll(store)
  const { get, list, scan, commit } = store.counts
  return get + list + scan + commit
}

const waits = '/api/jobs/waits'
const claimed = '/api/jobs/claimed'
const queued = '/api/queue/tasks'
const own = '20000000-0000-4000-8000-000000000000'

/** Requests of one of two, by what they are about. */
const requests = (worker: string): Readonly<Record<string, Named[]>> => ({
  'a key of jobs': [
    ['submit', asking('POST', '/api/jobs', { payload: worker, idempotency_key: 'new' })],
  ],
  'a job that waits': [
    ['claim next', asking('POST', '/api/jobs/claim-next', { worker_id: worker })],
    ['claim', asking('POST', `${waits}/claim`, { worker_id: worker })],
    ['claim as seen', asking('POST', `${waits}/claim`, { worker_id: worker }, waits)],
  ],
  'a job that is claimed': [
    ['complete', asking('POST', `${claimed}/complete`, { worker_id: 'w', result: worker })],
    ['fail', asking('POST', `${claimed}/fail`, { worker_id: 'w', error: worker })],
    ['retry as seen', asking('POST', `${claimed}/retry`, { attempts: 1 }, claimed)],
  ],
  'a job that is done': [
    ['submit again', asking('POST', '/api/jobs', { payload: worker, idempotency_key: 'done' })],
    ['delete', asking('DELETE', '/api/jobs/done')],
    ['delete as seen', asking('DELETE', '/api/jobs/done', undefined, '/api/jobs/done')],
  ],
  'a key of the queue': [
    ['submit', asking('POST', queued, { type: 't', input: worker, idempotency_key: 'new' })],
  ],
  'an id of the queue': [['submit', asking('POST', queued, { type: 't', input: worker, id: own })]],
  'a task that waits': [
    ['cancel', asking('POST', `${queued}/${ids.pending}/cancel`)],
    [
      'cancel as seen',
      asking('POST', `${queued}/${ids.pending}/cancel`, undefined, `${queued}/${ids.pending}`),
    ],
  ],
  'a task that was cancelled': [
    ['replay', asking('POST', `${queued}/${ids.cancelled}/replay`)],
    ['archive', asking('POST', `${queued}/${ids.cancelled}/archive`)],
  ],
})

const model = {
  prepare: planted,
  wordsOf: async (told: unknown) => JSON.stringify(told),
  observe: async (store: Store) => {
    const { tasks } = await new TaskManager(store).list()
    const jobs = tasks.map(({ idempotencyKey, status, claimedBy, attempts, payload, result }) =>
      [idempotencyKey, status, claimedBy, attempts, payload, result].join(),
    )
    const queued = (await new Queue(store).list({ all: true })).tasks
    return [
      ...jobs,
      ...queued.map(({ status, input, idempotency_key }) =>
        [status, input, idempotency_key].join(),
      ),
    ]
      .sort()
      .join('\n')
  },
}

describe('two requests at the same time are answered as one after the other', () => {
  const [one, other] = [requests('a'), requests('b')]
  for (const [what, firsts] of Object.entries(one))
    test(`on ${what}`, async () => {
      const seconds = other[what] as Named[]
      const from = (await startCalls()) + 1
      const places = await assertAsIfInTurn({ ...model, from }, firsts, seconds)
      assert.ok(places >= firsts.length * seconds.length, `${places} places`)
    })
})
