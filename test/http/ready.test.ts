import assert from 'node:assert/strict'
import { test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { type Task, TaskTree } from '../../src/tree/index.ts'
import { Caller, served } from './served.ts'

test('what is ready is counted far beyond a page', async () => {
  await using store = await openStore('memory:')
  const tree = new TaskTree(store)
  const given = Array.from({ length: 150 }, (_, n) => ({ title: `t${n}`, tags: ['x'] }))
  await Promise.all(given.map((task) => tree.create(task)))
  await using serving = await served(store)
  const api = await Caller.to(serving.url)
  const total = async (query: string) =>
    (await api.get<Task[]>(`/api/tasks/ready?${query}`)).headers.get('x-total-count')
  assert.equal(await total('limit=10'), '150')
  assert.equal(await total('limit=10&offset=200'), '150')
  assert.equal(await total('limit=40&tag=x'), '150')
  // With a filter to count means to read: five pages ahead and no more.
  assert.equal(await total('limit=10&tag=x'), null)
})
