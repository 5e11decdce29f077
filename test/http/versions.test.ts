import assert from 'node:assert/strict'
import { test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { temporaryFolder } from '../store/ground.ts'
import { Caller, nobody, served } from './served.ts'

const agent = 'ann'

async function opened(url: string) {
  const store = await openStore(url)
  const serving = await served(store)
  return {
    api: await Caller.to(serving.url),
    async [Symbol.asyncDispose]() {
      await serving[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

test('If-Match takes a list, of which one strong tag must be the task’s', async () => {
  await using here = await opened('memory:')
  const { api } = here
  const { id } = await api.create({ title: 'x' })
  const path = `/api/tasks/${id}`
  const tagNow = async () => (await api.get(path)).headers.get('etag') as string
  const change = async (ifMatch: string) =>
    (
      await api.ask('PATCH', path, {
        body: { title: `${ifMatch.length}` },
        headers: { 'If-Match': ifMatch },
      })
    ).status
  const old = await tagNow()
  assert.equal(await change(`"other", ${old} , W/"0-0"`), 200)
  const now = await tagNow()
  assert.equal(await change(`${old},W/${now}`), 412)
  assert.equal(await tagNow(), now)
  assert.equal(await change(`${old},${now}`), 200)
  // Where there is no task, no condition matters.
  const nowhere = `/api/tasks/${nobody}`
  for (const ifMatch of ['"other"', now, '*'])
    await api.refused(['PATCH', nowhere], 'TASK_NOT_FOUND', {
      body: { title: 'y' },
      headers: { 'If-Match': ifMatch },
    })
})

test('a status that holds already is fine in the version that was asked for only', async () => {
  await using here = await opened('memory:')
  const { api } = here
  const { id } = await api.create({ title: 'x' })
  const path = `/api/tasks/${id}`
  const set = (status: string, headers = {}) =>
    api.ask('PATCH', `${path}/status`, { body: { status }, agent, headers })
  const old = (await api.get(path)).headers.get('etag') as string
  const claimed = await set('in_progress', { 'If-Match': old })
  const tag = claimed.headers.get('etag') as string
  for (const headers of [{}, { 'If-Match': tag }]) {
    const again = await set('in_progress', headers)
    assert.deepEqual([again.status, again.headers.get('etag')], [200, tag])
    assert.deepEqual(again.body, claimed.body)
  }
  assert.equal((await set('in_progress', { 'If-Match': old })).status, 412)
  assert.equal((await set('blocked', { 'If-Match': tag })).status, 200)
  assert.equal((await set('blocked', { 'If-Match': tag })).status, 412)
  assert.equal((await set('blocked')).status, 200)
})

test('a read shows what others have done to the task and above it, however often it was read before', async () => {
  await using folder = await temporaryFolder()
  const url = `sqlite:${folder.path('tasks.db')}`
  await using here = await opened(url)
  // As another process would have it: a connection of its own.
  await using elsewhere = await openStore(url)
  const tree = new TaskTree(elsewhere)
  const root = await tree.create({ title: 'root' })
  const other = await tree.create({ title: 'other' })
  const child = await tree.create({ title: 'child', parent_id: root.id })
  const path = `/api/tasks/${child.id}`
  const read = async () => {
    const answers = [await here.api.get(path), await here.api.get(path), await here.api.get(path)]
    for (const { body, headers } of answers) {
      assert.deepEqual(body, answers[0]?.body)
      assert.equal(headers.get('etag'), answers[0]?.headers.get('etag'))
    }
    return answers[0]?.body
  }
  for (let n = 0; n < 10; n++) {
    assert.deepEqual(await read(), await tree.get(child.id))
    await tree.update(child.id, { title: `child ${n}` })
    assert.deepEqual(await read(), await tree.get(child.id))
    // Of these the task itself knows nothing.
    await tree.reparent(root.id, n % 2 === 0 ? other.id : null)
    assert.equal((await read())?.depth, n % 2 === 0 ? 2 : 1)
    await here.api.done('PATCH', path, { body: { title: `here ${n}` }, agent })
    assert.equal((await read())?.title, `here ${n}`)
  }
  await tree.delete(root.id)
  await here.api.refused(['GET', path], 'TASK_NOT_FOUND')
})
