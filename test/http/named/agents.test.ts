import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { TaskManager } from '../../../src/jobs/index.ts'
import { TaskList } from '../../../src/list/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { servedAll } from '../holdfast/served.ts'
import { Caller } from '../served.ts'
import { bearer, bearers } from './bearers.ts'

describe('a named token', () => {
  test('is who did it, in history and claims; without a header, and with one', async () => {
    await using store = await openStore('memory:')
    const { work: headers } = await bearers(store)
    await using serving = await servedAll(store)
    const api = await Caller.to(serving.url)
    const task = await api.done('POST', '/api/tasks', { headers, body: { title: 'x' } })
    const claimed = await api.done('POST', `/api/tasks/${task.id}/claim`, { headers })
    assert.equal(claimed.claimed_by, 'work')
    await api.done('POST', `/api/tasks/${task.id}/release`, { headers })
    const again = { headers, agent: 'work/7' }
    const other = await api.done('POST', `/api/tasks/${task.id}/claim`, again)
    assert.equal(other.claimed_by, 'work/7')
    const history = await api.done<{ changed_by: string }[]>(
      'GET',
      `/api/tasks/${task.id}/history`,
      {
        headers,
      },
    )
    const names = new Set(history.map(({ changed_by }) => changed_by))
    assert.deepEqual([...names].sort(), ['work', 'work/7'])
    const about = await api.done<{ caller: unknown }>('GET', '/api/models', { headers })
    assert.deepEqual(about.caller, { name: 'work', role: 'work' })
  })

  test('is the worker of jobs: nobody ends a claim in another’s name, or in nobody’s', async () => {
    await using store = await openStore('memory:')
    const { work: headers } = await bearers(store)
    await using serving = await servedAll(store)
    const api = await Caller.to(serving.url)
    await using jobs = new TaskManager(store)
    const submit = async () => (await jobs.submit({ payload: new Uint8Array([1]) })) as string
    const claimNext = (body: object) =>
      api.done<{ id: string; claimed_by: string }>('POST', '/api/jobs/claim-next', {
        headers,
        body,
      })
    await submit()
    assert.equal((await claimNext({})).claimed_by, 'work')
    await submit()
    assert.equal((await claimNext({ worker_id: 'work/2' })).claimed_by, 'work/2')
    const id = await submit()
    const at = (verb: string) => ['POST', `/api/jobs/${id}/${verb}`] as const
    for (const worker_id of ['ann', 'work/', 'works', 'Work']) {
      const body = { worker_id }
      await api.refused(at('claim'), 'FORBIDDEN_AGENT', { headers, body })
      await api.refused(['POST', '/api/jobs/claim-next'], 'FORBIDDEN_AGENT', { headers, body })
      await api.refused(at('complete'), 'FORBIDDEN_AGENT', { headers, body })
      await api.refused(at('fail'), 'FORBIDDEN_AGENT', { headers, body: { error: 'x', ...body } })
    }
    await api.refused(at('claim'), 'INVALID_BODY', { headers, body: { worker_id: null } })
    await jobs.claim(id, 'ann')
    // Who names nobody means themselves, and not whoever has it.
    await api.refused(at('complete'), 'CONFLICT', { headers })
    await api.refused(at('fail'), 'CONFLICT', { headers, body: { error: 'x' } })
    assert.equal((await jobs.get(id)).claimedBy, 'ann')
    await jobs.retry(id)
    await api.done(...at('claim'), { headers })
    await api.done(...at('complete'), { headers })
    assert.equal((await jobs.get(id)).status, 'completed')
  })

  test('leaves the server’s own token alone, which acts as anybody', async () => {
    await using store = await openStore('memory:')
    const { read } = await bearers(store)
    await using serving = await servedAll(store, { token: 'sesame' })
    const api = await Caller.to(serving.url)
    const headers = { Authorization: 'Bearer sesame' }
    const { id } = await new TaskList(store).add('x')
    await api.refused(['DELETE', `/api/list/tasks/${id}`], 'FORBIDDEN_ROLE', { headers: read })
    await api.done('DELETE', `/api/list/tasks/${id}`, { headers, agent: 'whoever' })
    const task = await api.done('POST', '/api/tasks', {
      headers,
      agent: 'ann',
      body: { title: 'x' },
    })
    const claimed = await api.done('POST', `/api/tasks/${task.id}/claim`, { headers, agent: 'bob' })
    assert.equal(claimed.claimed_by, 'bob')
    await api.refused(['POST', `/api/tasks/${task.id}/claim`], 'MISSING_AGENT', { headers })
  })

  test('whose name is not ASCII goes by its header in UTF-8', async () => {
    await using store = await openStore('memory:')
    const headers = await bearer(store, 'Zoë', 'work')
    await using serving = await servedAll(store)
    const sent = (name: string) => Buffer.from(name).toString('latin1')
    const api = await Caller.to(serving.url)
    const task = await api.done('POST', '/api/tasks', {
      headers,
      agent: sent('Zoë/2'),
      body: { title: 'x' },
    })
    const claimed = await api.done('POST', `/api/tasks/${task.id}/claim`, { headers })
    assert.equal(claimed.claimed_by, 'Zoë')
    await api.refused(['GET', '/api/tasks'], 'FORBIDDEN_AGENT', { headers, agent: sent('Zoé') })
  })
})
