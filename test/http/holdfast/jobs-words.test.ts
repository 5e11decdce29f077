import assert from 'node:assert/strict'
import { test } from 'vitest'
import { openStore } from '../../../src/store/index.ts'
import { opened } from './served.ts'

/** Everything that can be refused of a job, as `[method, path, body, what is said]`. */
const refusals: readonly (readonly [string, string, unknown, RegExp])[] = [
  ['GET', 'none', undefined, /^There is no job with the id "none"\. Check it; a job may /],
  ['POST', 'pending/complete', {}, /^Job \S+ is not claimed\. Claim it first\.$/],
  ['DELETE', 'pending', undefined, /^Job \S+ is pending\. Only completed and failed jobs /],
  ['POST', 'claimed/claim', { worker_id: 'b' }, /^Job \S+ is claimed by worker "task-1"\. Skip it/],
  [
    'POST',
    'claimed/complete',
    { worker_id: 'b' },
    /^Job \S+ is claimed by .*"task-1".*claim_token/,
  ],
  ['POST', 'ended/complete', {}, /^Job \S+ is not claimed any more: .*, or claim the job again\.$/],
  [
    'POST',
    'failed/complete',
    {},
    /^Job \S+ has failed\. .* a retry with "attempts" allows more\.$/,
  ],
  [
    'POST',
    'failed/retry',
    {},
    /^Job \S+ has had its only attempt\. .* a retry with "attempts": n allows n more\.$/,
  ],
  ['POST', 'completed/retry', {}, /^Job \S+ is completed\. There is nothing left to do\.$/],
]

test('refusals speak of jobs, fields and routes, not of tasks and methods of the library', async () => {
  await using store = await openStore('memory:')
  const { api, serving } = await opened(store)
  await using _ = serving
  const made: Record<string, string> = {}
  for (const name of ['pending', 'claimed', 'ended', 'failed', 'completed']) {
    const body = { payload: name, max_attempts: name === 'failed' ? 1 : 2 }
    made[name] = (await api.done<{ id: string }>('POST', '/api/jobs', { body })).id
    const post = (verb: string, given: unknown) =>
      api.done('POST', `/api/jobs/${made[name]}/${verb}`, { body: given })
    if (name !== 'pending') await post('claim', { worker_id: 'task-1' })
    if (name === 'ended' || name === 'failed') await post('fail', { error: 'no' })
    if (name === 'completed') await post('complete', {})
  }
  for (const [method, path, body, said] of refusals) {
    const at = path.replace(/^\w+/, (name) => made[name] ?? name)
    const { status, body: told } = await api.ask<{ error: string }>(method, `/api/jobs/${at}`, {
      ...(body === undefined ? {} : { body }),
    })
    assert.ok(status >= 400, `${method} ${path}: ${status}`)
    assert.match(told.error, said, `${method} ${path}`)
  }
  const headers = { 'If-Match': '"0123456789abcdef"' }
  const stale = await api.ask<{ error: string }>('DELETE', `/api/jobs/${made['completed']}`, {
    headers,
  })
  assert.match(stale.body.error, /^Job \S+ has changed since you looked: it is completed now\./)
})
