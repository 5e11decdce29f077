import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  AmbiguousPrefixError,
  CorruptDocumentError,
  InvalidTaskError,
  TaskList,
  TaskNotFoundError,
} from '../../src/list/index.ts'
import { create, openStore, type Store } from '../../src/store/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertTagLists, tagLists } from './layout.ts'

const put = (store: Store, key: string, text: string) =>
  store.commit([create(key, new TextEncoder().encode(text))])

const texts = (tasks: readonly { text: string }[]) => tasks.map(({ text }) => text)

onEveryStore('TaskList', { check: assertTagLists }, (ground) => {
  const list = () => new TaskList(ground.store)

  test('add puts the task JSON under its id, and the id into the list of each tag', async () => {
    const before = Date.now()
    const task = await list().add(' Buy milk ', ['Errand', 'shopping', 'errand'])
    assert.match(task.id, /^[0-9a-f]{128}$/)
    assert.match(task.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.ok(Date.parse(task.created) >= before && Date.parse(task.created) <= Date.now())
    const { id, created } = task
    const expected = { id, text: 'Buy milk', done: false, tags: ['errand', 'shopping'], created }
    assert.deepEqual(task, expected)
    const stored = await ground.store.get(`utask_tasks/${id}`)
    assert.equal(new TextDecoder().decode(stored?.value), JSON.stringify(expected))
    const listed = await ground.store.get('utask_tags/errand')
    assert.equal(new TextDecoder().decode(listed?.value), id)
  })

  test('update changes fields and moves the id between lists; a list that becomes empty goes', async () => {
    const { id } = await list().add('Buy milk', ['errand', 'shopping'])
    const task = await list().update(id.slice(0, 8), {
      text: 'Buy tea',
      done: true,
      tags: ['errand', 'tea'],
    })
    assert.deepEqual([task.text, task.done, task.tags], ['Buy tea', true, ['errand', 'tea']])
    assert.deepEqual([...(await tagLists(ground.store)).keys()].sort(), ['errand', 'tea'])
    const { changed } = await list().edit(id, { done: true })
    assert.equal(changed, false)
  })

  test('delete removes the task and its id from every list; deleting it again finds nothing', async () => {
    const { id } = await list().add('Buy milk', ['errand'])
    await list().add('Buy tea', ['errand'])
    assert.equal(await list().delete(id.slice(0, 12).toUpperCase()), id)
    assert.equal((await tagLists(ground.store)).get('errand')?.size, 1)
    await assert.rejects(list().delete(id), TaskNotFoundError)
  })

  test('query: none, any, all, both, done, limit; in the order of adding', async () => {
    const tasks = list()
    await tasks.add('one', ['work'])
    const two = await tasks.add('two', ['work', 'urgent'])
    await tasks.add('three', ['home', 'urgent'])
    await tasks.update(two.id, { done: true })
    assert.deepEqual(texts(await tasks.query()), ['one', 'two', 'three'])
    assert.deepEqual(texts(await tasks.query({ any: ['work', 'HOME'] })), ['one', 'two', 'three'])
    assert.deepEqual(texts(await tasks.query({ any: ['home'] })), ['three'])
    assert.deepEqual(texts(await tasks.query({ all: ['work', 'urgent'] })), ['two'])
    assert.deepEqual(texts(await tasks.query({ any: ['home', 'work'], all: ['urgent'] })), [
      'two',
      'three',
    ])
    assert.deepEqual(texts(await tasks.query({ all: ['none', 'work'] })), [])
    assert.deepEqual(texts(await tasks.query({ done: false })), ['one', 'three'])
    assert.deepEqual(texts(await tasks.query({ done: true, any: ['work'] })), ['two'])
    assert.deepEqual(texts(await tasks.query({ limit: 2 })), ['one', 'two'])
    for (const limit of [0, -1, 1.5, Number.NaN])
      await assert.rejects(tasks.query({ limit }), InvalidTaskError)
  })

  test('resolve: none is not found, one is the id, more are ambiguous with candidates', async () => {
    const ids = ['aa', 'ab', 'b0'].map((start) => start.padEnd(128, '0'))
    for (const id of ids)
      await put(
        ground.store,
        `utask_tasks/${id}`,
        JSON.stringify({ id, text: 'x', done: false, tags: [], created: '2025-08-26T13:40:00Z' }),
      )
    const tasks = list()
    assert.equal(await tasks.resolve('B'), ids[2])
    assert.equal(await tasks.resolve(ids[0] as string), ids[0])
    await assert.rejects(tasks.resolve('c'), TaskNotFoundError)
    await assert.rejects(tasks.resolve('c'.repeat(128)), TaskNotFoundError)
    await assert.rejects(tasks.resolve('xyz'), InvalidTaskError)
    await assert.rejects(tasks.resolve('a'), (error) => {
      assert.ok(error instanceof AmbiguousPrefixError)
      assert.deepEqual([error.candidates, error.count], [ids.slice(0, 2), 2])
      return true
    })
  })

  test('tags counts the tasks of each tag, sorted', async () => {
    await list().add('one', ['b', 'a/b'])
    await list().add('two', ['b', '.'])
    assert.deepEqual(await list().tags(), [
      { tag: '.', count: 1 },
      { tag: 'a/b', count: 1 },
      { tag: 'b', count: 2 },
    ])
  })

  test('rebuildIndex reconstructs the lists from the tasks', async () => {
    const { id } = await list().add('one', ['a', 'b'])
    for (const tag of ['a', 'b']) {
      const entry = await ground.store.get(`utask_tags/${tag}`)
      if (entry) await ground.store.commit([{ type: 'remove', ...entry }])
    }
    await put(ground.store, 'utask_tags/c', `${id}\n${'f'.repeat(128)}`)
    const report = await list().rebuildIndex({ graceMs: 0 })
    assert.deepEqual(report, { tasks: 1, tags: 2, added: 2, removed: 2, corrupt: [] })
  })

  test('what can not be stored is refused before the store is touched', async () => {
    await assert.rejects(list().add('  '), InvalidTaskError)
    await assert.rejects(list().add('x', ['two words']), InvalidTaskError)
    await assert.rejects(list().update('ab', { text: '' }), InvalidTaskError)
    await assert.rejects(list().update('ab', { tags: { add: [''] } }), InvalidTaskError)
    for (const tags of ['tag', null, 7] as unknown as string[][])
      for (const call of [() => list().add('x', tags), () => list().update('ab', { tags })])
        await assert.rejects(call, InvalidTaskError)
    for await (const { key } of ground.store.list('')) assert.fail(key)
  })
})

test('tasks added in a row, in one millisecond, list in that order; and equal ones get ids of their own', async () => {
  await using store = await openStore('memory:')
  const tasks = new TaskList(store, { now: () => 1_700_000_000_000 })
  const names = Array.from({ length: 20 }, (_, at) => `task ${at}`)
  for (const name of names) await tasks.add(name)
  assert.deepEqual(texts(await tasks.query()), names)
  // Another process, the same host, millisecond and text: the next nonce is drawn.
  await new TaskList(store, { now: () => 1_700_000_000_000 }).add('task 0')
  assert.equal(texts(await tasks.query()).filter((text) => text === 'task 0').length, 2)
})

test('a corrupt task is told of, left out of lists, counted in resolution, and goes by its full id only', async () => {
  await using store = await openStore('memory:')
  const warnings: string[] = []
  const tasks = new TaskList(store, { onWarning: (warning) => warnings.push(warning) })
  await tasks.add('good', ['a'])
  const id = 'c0'.padEnd(128, '0')
  await put(store, `utask_tasks/${id}`, '{"id":')
  await put(store, 'utask_tags/broken', id)
  assert.deepEqual(texts(await tasks.query()), ['good'])
  assert.deepEqual(await tasks.query({ any: ['broken'] }), [])
  assert.equal(warnings.length, 2)
  assert.ok(warnings.every((warning) => warning.includes(id)))
  assert.equal(await tasks.resolve('c00'), id)
  for (const call of [
    () => tasks.get('c00'),
    () => tasks.update(id, { done: true }),
    () => tasks.delete('c00'),
  ])
    await assert.rejects(call, CorruptDocumentError)
  assert.deepEqual((await tasks.rebuildIndex()).corrupt, [id])
  assert.equal(await tasks.delete(id), id)
  assert.deepEqual(await tasks.tags(), [{ tag: 'a', count: 1 }])
  await assertTagLists(store)
})

test('fields that another program added are kept through an update', async () => {
  await using store = await openStore('memory:')
  const id = '1'.repeat(128)
  const foreign = {
    id,
    text: 'x',
    done: false,
    tags: [],
    created: '2025-08-26T13:40:00Z',
    due: 'today',
  }
  await put(store, `utask_tasks/${id}`, JSON.stringify(foreign))
  const task = await new TaskList(store).update('1', { done: true })
  assert.deepEqual(task, { ...foreign, done: true })
})
