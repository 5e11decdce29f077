import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { TaskManager } from '../../../src/jobs/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { bytes } from './planted.ts'
import { opened } from './served.ts'

test('a claim is known by its token, also after its id was deleted and used again', async () => {
  await using store = await openStore('memory:')
  const { api, serving } = await opened(store)
  await using _ = serving
  await using jobs = new TaskManager(store)
  const tokens: unknown[] = []
  for (const round of [1, 2]) {
    await jobs.submit({ payload: bytes('1'), id: 'x' })
    const body = { worker_id: 'w' }
    const { claim_token } = await api.done<{ claim_token: unknown }>('POST', '/api/jobs/x/claim', {
      body,
    })
    expect(await api.done('GET', '/api/jobs/x')).toMatchObject({ claim_token })
    tokens.push(claim_token)
    const old = { worker_id: 'w', attempt: 1, claim_token: tokens[0] }
    if (round === 2)
      for (const verb of ['complete', 'fail'])
        expect(
          await api.refused(['POST', `/api/jobs/x/${verb}`], 'CONFLICT', {
            body: verb === 'fail' ? { ...old, error: 'no' } : old,
          }),
        ).toMatchObject({ reason: 'WRONG_WORKER' })
    const done = await api.done('POST', '/api/jobs/x/complete', { body: { claim_token } })
    expect(done).toMatchObject({ status: 'completed', claim_token: null })
    await api.ask('DELETE', '/api/jobs/x')
  }
  assert.equal(new Set(tokens).size, 2)
})
