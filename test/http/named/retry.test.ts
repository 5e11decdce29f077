import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { TaskManager } from '../../../src/jobs/index.ts'
import { openStore, type Store } from '../../../src/store/index.ts'
import { altered } from '../../store/altered.ts'
import { opened } from '../holdfast/served.ts'
import { bearer, bearers } from './bearers.ts'

/** A server, and jobs to ask it for. */
async function ground(served: (store: Store) => Store = (store) => store) {
  const store = await openStore('memory:')
  const all = await bearers(store)
  const jobs = new TaskManager(store)
  const { api, serving } = await opened(served(store))
  const id = await jobs.submit({ payload: new Uint8Array(), maxAttempts: 1 })
  return {
    ...{ store, all, jobs, api, id, route: ['POST', `/api/jobs/${id}/retry`] as const },
    [Symbol.asyncDispose]: async () => {
      await serving[Symbol.asyncDispose]()
      await jobs.close()
      await store[Symbol.asyncDispose]()
    },
  }
}

const oneMore = { attempts: 1 }

describe('a retry of a job that another has claimed', () => {
  test('is a forced release, which needs the role admin', async () => {
    await using at = await ground()
    const { jobs, api, id, route, all } = at
    await jobs.claim(id, 'worker 2')
    const headers = all.work
    for (const more of [{}, { 'If-Match': '*' }]) {
      const asked = { headers: { ...headers, ...more }, body: oneMore }
      const details = await api.refused(route, 'FORBIDDEN_ROLE', asked)
      assert.deepEqual(details, { needed: 'admin', role: 'work' })
    }
    assert.equal((await jobs.get(id)).claimedBy, 'worker 2')
    await api.done(...route, { headers: all.admin, body: oneMore })
    assert.equal((await jobs.get(id)).status, 'pending')
  })

  test('is one also where it is claimed in the moment between', async () => {
    let claim: (() => Promise<unknown>) | null = null
    const racing = (inner: Store) =>
      altered(inner, {
        commit: async (writes) => {
          const first = claim
          claim = null
          await first?.()
          return inner.commit(writes)
        },
      })
    await using at = await ground(racing)
    const { jobs, api, id, route, all } = at
    await jobs.claim(id, 'ann')
    await jobs.fail(id, 'x')
    claim = async () => {
      await jobs.retry(id, { attempts: 5 })
      await jobs.claim(id, 'ann')
    }
    await api.refused(route, 'FORBIDDEN_ROLE', { headers: all.work, body: oneMore })
    assert.equal(claim, null)
    assert.equal((await jobs.get(id)).claimedBy, 'ann')
  })

  test('is none where one of the caller’s own agents has it, or nobody', async () => {
    await using at = await ground()
    const { jobs, api, id, route, all } = at
    const headers = all.work
    await api.done(...route, { headers })
    for (const worker of ['work', 'work/7']) {
      await jobs.claim(id, worker)
      await api.done(...route, { headers, body: oneMore })
      assert.equal((await jobs.get(id)).status, 'pending')
    }
    for (const worker of ['work/', 'works', 'Work']) {
      await jobs.claim(id, worker)
      await api.refused(route, 'FORBIDDEN_ROLE', { headers, body: oneMore })
      await jobs.retry(id, oneMore)
    }
    await jobs.claim(id, 'ann')
    await jobs.fail(id, 'x')
    const response = await fetch(`${api.url}/api/jobs/${id}`, { headers })
    const etag = response.headers.get('ETag') as string
    const stale = { ...headers, 'If-Match': '"0123456789abcdef"' }
    await api.refused(route, 'PRECONDITION_FAILED', { headers: stale, body: oneMore })
    await api.done(...route, { headers: { ...headers, 'If-Match': etag }, body: oneMore })
    assert.equal((await jobs.get(id)).status, 'pending')
  })

  test('is nobody’s business where no token is named', async () => {
    await using store = await openStore('memory:')
    await using jobs = new TaskManager(store)
    const { api, serving } = await opened(store)
    await using _ = serving
    const id = await jobs.submit({ payload: new Uint8Array() })
    await jobs.claim(id, 'ann')
    await api.done('POST', `/api/jobs/${id}/retry`)
    await jobs.claim(id, 'ann')
    const headers = await bearer(store, 'ann', 'work')
    await api.done('POST', `/api/jobs/${id}/retry`, { headers })
  })
})
