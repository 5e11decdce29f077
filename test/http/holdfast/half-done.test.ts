import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { openStore, type Store, StoreError } from '../../../src/store/index.ts'
import { mcpDesk } from '../../mcp/client.ts'
import { altered } from '../../store/altered.ts'
import { Caller } from '../served.ts'
import { servedAll } from './served.ts'

const away = () => new StoreError('down', 'The store is away; nothing was written.', 'Try again.')

/** A store that can't be read any more once something was written below this prefix while it is armed. */
function breaking(store: Store, prefix: string) {
  let state: 'whole' | 'armed' | 'broken' = 'whole'
  const broken = altered(store, {
    commit: async (writes) => {
      const result = await store.commit(writes)
      const isMeant = writes.some(({ key }) => key.startsWith(prefix))
      if (state === 'armed' && result.ok && isMeant) state = 'broken'
      return result
    },
    get: async (key) => {
      if (state === 'broken') throw away()
      return store.get(key)
    },
  })
  const become = (next: typeof state) => () => {
    state = next
  }
  return { store: broken, arm: become('armed'), mend: become('whole') }
}

describe('where the store fails after a change, nobody hears that nothing was changed', () => {
  const creations = [
    { what: 'a task of the queue', prefix: 'qo/tasks', path: '/api/queue/tasks', type: 'mail' },
    { what: 'a new plan', prefix: 'np/dir', path: '/api/plans', directory: '/work' },
  ]
  for (const { what, prefix, path, ...body } of creations)
    test(`over HTTP: ${what} is not read again, so its creator hears that it is there`, async () => {
      await using inner = await openStore('memory:')
      const { store, arm, mend } = breaking(inner, prefix)
      await using serving = await servedAll(store)
      const api = await Caller.to(serving.url)
      arm()
      const { status, body: told, headers } = await api.ask<object>('POST', path, { body })
      mend()
      assert.equal(status, 201)
      assert.deepEqual(told, (await api.get(headers.get('location') as string)).body)
    })

  test('over HTTP: the goal of a plan', async () => {
    await using inner = await openStore('memory:')
    const { store, arm, mend } = breaking(inner, 'np/s')
    await using serving = await servedAll(store)
    const api = await Caller.to(serving.url)
    const body = { directory: '/work' }
    const { session } = await api.done<{ session: { sid: string } }>('POST', '/api/plans', { body })
    arm()
    const goal = { title: 'Ship', description: 'It is out.' }
    const answer = await api.ask<{ details: { outcome: string } }>(
      'POST',
      `/api/plans/${session.sid}/goal`,
      { body: goal },
    )
    mend()
    assert.equal(answer.body.details.outcome, 'unknown_outcome')
  })

  test('over MCP: the goal of a plan', async () => {
    await using inner = await openStore('memory:')
    const { store, arm } = breaking(inner, 'np/s')
    await using desk = await mcpDesk({ store })
    await desk.ask('plan_goal', { directory: '/work', title: 'Ship', description: 'It is out.' })
    arm()
    const change = { title: 'Ship it', description: 'It is out.', reason: 'Clearer.' }
    const { isError, data } = await desk.call('plan_goal', { directory: '/work', ...change })
    assert.ok(isError)
    assert.match(JSON.stringify(data), /unknown|then the store failed/)
  })
})
