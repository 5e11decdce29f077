import assert from 'node:assert/strict'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../../src/store/index.ts'
import { plant } from './planted.ts'
import { assertAllTried, opened } from './served.ts'

const listId = 'ab'.repeat(64)

describe('what the list refuses', () => {
  test('ids, bodies and queries that can never be right', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    for (const id of ['xyz', '%20', `${listId}0`, '%F0%9F%A6%84', '..%2f..'])
      for (const method of ['GET', 'PATCH', 'DELETE'])
        await api.refused([method, `/api/list/tasks/${id}`], 'INVALID_ID', {
          ...(method === 'PATCH' ? { body: {} } : {}),
        })
    const post = ['POST', '/api/list/tasks'] as const
    for (const body of [
      {},
      { text: '' },
      { text: '  ' },
      { text: 3 },
      { text: 'x', tags: 'a' },
      { text: 'x', tags: ['a b'] },
      { text: 'x', tags: ['+a'] },
      { text: 'x', other: 1 },
      { text: 'a\u0007b' },
      { text: 'x'.repeat(70_000) },
      [],
      'x',
      null,
    ])
      await api.refused(post, 'INVALID_BODY', { body })
    for (const method of ['PATCH', 'DELETE'])
      await api.refused([method, `/api/list/tasks/${listId}`], 'INVALID_BODY', {
        body: { done: 'yes' },
      })
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'offset=-1', 'done=maybe', 'x=1'])
      await api.refused(['GET', `/api/list/tasks?${query}`], 'INVALID_QUERY')
    await api.refused(['GET', '/api/list/tasks?any=a%20b'], 'INVALID_QUERY')
    assert.deepEqual(await api.done('GET', '/api/list/tasks'), [])
  })

  test('a change to a state that is no more: 412, and nothing is changed', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    const { id } = await api.done<{ id: string }>('POST', '/api/list/tasks', {
      body: { text: 'x' },
    })
    const path = `/api/list/tasks/${id}`
    const seen = (await api.ask('GET', path)).headers.get('etag') as string
    await api.done('PATCH', path, { body: { text: 'y' }, headers: { 'If-Match': seen } })
    for (const match of [seen, '"0"'])
      for (const [method, body] of [['PATCH', { done: true }], ['DELETE']] as const)
        await api.refused([method, path], 'PRECONDITION_FAILED', {
          headers: { 'If-Match': match },
          ...(body ? { body } : {}),
        })
    expect(await api.done('GET', path)).toMatchObject({ text: 'y', done: false })
  })

  test('what is missing, ambiguous or corrupt', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    const asked = { GET: {}, PATCH: { body: { done: true } }, DELETE: {} }
    const each = async (start: string, code: string) => {
      for (const [method, given] of Object.entries(asked))
        await api.refused([method, `/api/list/tasks/${start}`], code, given)
    }
    await each(listId, 'NOT_FOUND')
    await plant(store, `utask_tasks/${listId}`)
    await each(listId.slice(0, 127), 'CORRUPT')
    await plant(store, `utask_tasks/${listId.slice(0, 127)}c`)
    const ambiguous = await api.refused(['GET', '/api/list/tasks/abab'], 'AMBIGUOUS')
    assert.deepEqual(ambiguous, {
      candidates: [listId, `${listId.slice(0, 127)}c`].sort(),
      count: 2,
    })
    await each('ab', 'AMBIGUOUS')
    assert.deepEqual(await api.done('GET', '/api/list/tasks'), [])
    assert.equal((await api.ask('DELETE', `/api/list/tasks/${listId}`)).status, 204)
  })
})

test('every code that these routes name was tried', () => assertAllTried(['/api/list']))
