import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { openStore, type Store, StoreError, update } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { Caller, type Refused, served } from './served.ts'

/** A store whose calls of one kind fail while `failure` is set. */
function failing(store: Store, name: 'get' | 'commit') {
  const state: { failure: Error | null } = { failure: null }
  const wrapped = new Proxy(store, {
    get(target, property) {
      const value = Reflect.get(target, property, target)
      if (typeof value !== 'function') return value
      if (property !== name) return value.bind(target)
      return (...args: unknown[]) =>
        state.failure ? Promise.reject(state.failure) : value.apply(target, args)
    },
  })
  return { wrapped, state }
}

const secret = 'postgres://root:hunter2@10.1.2.3/etc/passwd'

describe('a store that fails', () => {
  const kinds = [
    ['down', { outcome: 'unavailable', reason: 'down' }],
    ['contended', { outcome: 'unavailable', reason: 'contended' }],
    ['lost_answer', { outcome: 'unknown_outcome', reason: 'lost_answer' }],
  ] as const
  for (const [reason, details] of kinds)
    test(`${reason}: 503 STORE_UNAVAILABLE, which says what became of the change`, async () => {
      await using store = await openStore('memory:')
      const { wrapped, state } = failing(store, 'commit')
      const log: string[] = []
      await using serving = await served(wrapped, { log: (line) => log.push(line) })
      const api = await Caller.to(serving.url)
      await api.create({ title: 'before' })
      state.failure = new StoreError(reason, `It failed at ${secret}.`, 'Try again.')
      const { status, body, headers } = await api.ask<Refused>('POST', '/api/tasks', {
        body: { title: 'x' },
      })
      assert.deepEqual([status, body.code, body.details], [503, 'STORE_UNAVAILABLE', details])
      assert.equal(headers.get('retry-after'), '1')
      assert.ok(!JSON.stringify(body).includes('hunter2'))
      const why = log.find((line) => line.includes('10.1.2.3'))
      assert.ok(why !== undefined, 'the log knows why')
      assert.ok(!why.includes('hunter2'), 'and no password')
      state.failure = null
      await api.create({ title: 'after' })
    })

  test('in another way: 500 INTERNAL_ERROR, without a word of why', async () => {
    await using store = await openStore('memory:')
    const { wrapped, state } = failing(store, 'commit')
    const log: string[] = []
    await using serving = await served(wrapped, { log: (line) => log.push(line) })
    const api = await Caller.to(serving.url)
    const readOnly = new StoreError('read_only', `${secret} is read-only.`, 'Change that.')
    for (const failure of [new TypeError(`cannot read ${secret}`), readOnly]) {
      state.failure = failure
      const { status, body } = await api.ask<Refused>('POST', '/api/tasks', {
        body: { title: 'x' },
      })
      assert.deepEqual([status, body.code, body.details], [500, 'INTERNAL_ERROR', {}])
      assert.ok(!JSON.stringify(body).includes('hunter2'))
      assert.match(log.pop() ?? '', /^INTERNAL_ERROR: (?!.*hunter2).*10\.1\.2\.3/s)
    }
  })

  test('a task that can’t be read is INTERNAL_ERROR by its id, and left out of lists', async () => {
    await using store = await openStore('memory:')
    const tree = new TaskTree(store)
    const [broken, whole] = [await tree.create({ title: 'a' }), await tree.create({ title: 'b' })]
    const entry = await store.get(`coven/tasks/${broken.id}`)
    assert.ok(entry)
    await store.commit([update(entry, new TextEncoder().encode('{"no":"task"}'))])
    await using serving = await served(store)
    const api = await Caller.to(serving.url)
    const details = await api.refused(['GET', `/api/tasks/${broken.id}`], 'INTERNAL_ERROR')
    assert.deepEqual(details, { id: broken.id })
    const listed = await api.get<{ id: string }[]>('/api/tasks')
    assert.deepEqual(
      listed.body.map(({ id }) => id),
      [whole.id],
    )
    assert.equal((await api.ask('DELETE', `/api/tasks/${broken.id}`)).status, 204)
  })
})
