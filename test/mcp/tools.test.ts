import assert from 'node:assert/strict'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { startNats } from '../servers/nats.ts'
import { mcpDesk } from './client.ts'

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-mcp-')))
afterAll(() => rmSync(directory, { recursive: true }))

onEveryStore('the tools', { check: async () => {} }, (ground) => {
  test('plan: goal, tasks, progress, and the plan again', async () => {
    await using desk = await mcpDesk({ store: ground.store, directory })
    const none = await desk.call('plan_show')
    assert.ok(none.isError)
    assert.equal(none.data.error.code, 'no_store')
    assert.match(none.data.error.next, /plan_goal/)
    const started = await desk.ask('plan_goal', { title: 'Ship it', description: 'All green.' })
    assert.deepEqual(started.goal, { title: 'Ship it', description: 'All green.' })
    const { tasks } = await desk.ask('plan_tasks', { add: [{ title: 'One' }, { title: 'Two' }] })
    assert.deepEqual(
      tasks.map(({ title, status }: Record<string, string>) => [title, status]),
      [
        ['One', 'pending'],
        ['Two', 'pending'],
      ],
    )
    const done = await desk.ask('plan_tasks', {
      update: [{ id: tasks[0].id, status: 'completed' }],
    })
    assert.equal(done.open, 1)
    assert.deepEqual({ changed: true, ...(await desk.ask('plan_show')) }, done)
  })

  test('plan: of many tasks those that were just touched are shown', async () => {
    await using desk = await mcpDesk({ store: ground.store, directory })
    await desk.ask('plan_goal', { title: 'Ship it' })
    const many = Array.from({ length: 60 }, (_, at) => ({ title: `T${at}` }))
    const before = await desk.ask('plan_tasks', { add: many })
    assert.equal(before.tasks.length, 50)
    const { tasks } = await desk.ask('plan_tasks', {
      add: [{ title: 'New' }],
      update: [{ id: before.tasks[0].id, status: 'completed' }],
    })
    assert.deepEqual([tasks.length, tasks[0].status, tasks.at(-1).title], [50, 'completed', 'New'])
  })

  test('plan: where a task to add can never be right, nothing is updated either', async () => {
    await using desk = await mcpDesk({ store: ground.store, directory })
    await desk.ask('plan_goal', { title: 'Ship it' })
    const { tasks } = await desk.ask('plan_tasks', { add: [{ title: 'One' }] })
    const update = [{ id: tasks[0].id, status: 'completed' }]
    const refused = await desk.call('plan_tasks', { add: [{ title: 'two\nlines' }], update })
    assert.equal(refused.data.error.code, 'invalid')
    assert.equal((await desk.ask('plan_show')).tasks[0].status, 'pending')
  })

  test('plan: asking twice changes nothing, a new goal needs a reason', async () => {
    await using desk = await mcpDesk({ store: ground.store, directory })
    await desk.ask('plan_goal', { title: 'Ship it' })
    assert.equal((await desk.ask('plan_goal', { title: 'Ship it' })).changed, false)
    await desk.ask('plan_tasks', { add: [{ title: 'One' }] })
    assert.equal((await desk.ask('plan_tasks', { add: [{ title: 'One' }] })).changed, false)
    const refused = await desk.call('plan_goal', { title: 'Ship another' })
    assert.equal(refused.data.error.code, 'refused')
    const changed = await desk.ask('plan_goal', { title: 'Ship another', reason: 'a new customer' })
    assert.equal(changed.goal.title, 'Ship another')
    const unknown = await desk.call('plan_tasks', {
      update: [{ id: 'ffffff', status: 'completed' }],
    })
    assert.equal(unknown.data.error.code, 'not_found')
  })

  test('tree: create, claim any, complete, and who comes second', async () => {
    await using desk = await mcpDesk({ store: ground.store })
    const epic = await desk.ask('tree_create', { title: 'Epic', type: 'epic', priority: 3 })
    const task = await desk.ask('tree_create', {
      title: 'Part',
      body: 'How.',
      parent_id: epic.id,
      tags: ['a'],
      priority: 1,
    })
    assert.equal((await desk.ask('tree_create', { title: 'Epic', priority: 3 })).id, epic.id)
    assert.equal(
      (await desk.ask('tree_create', { title: 'Part', parent_id: epic.id })).changed,
      false,
    )
    assert.deepEqual(
      (await desk.ask('tree_list')).ready.map(({ title }: { title: string }) => title),
      ['Part'],
    )
    const claimed = await desk.ask('tree_change', { action: 'claim', add_tags: ['mine'] })
    assert.equal(claimed.id, task.id)
    assert.equal(claimed.claimed_by, 'tester')
    assert.deepEqual(claimed.tags, ['a', 'mine'])
    const again = await desk.ask('tree_change', { action: 'claim', id: task.id })
    assert.equal(again.changed, false)
    const other = await desk.call('tree_change', { action: 'claim', id: task.id, agent: 'other' })
    assert.equal(other.data.error.code, 'conflict')
    assert.match(other.data.error.message, /already claimed by tester/)
    const done = await desk.ask('tree_change', { action: 'complete', id: task.id, note: 'Works.' })
    assert.equal(done.status, 'pending_merge')
    assert.equal(
      (await desk.ask('tree_change', { action: 'complete', id: task.id })).changed,
      false,
    )
    const shown = await desk.ask('tree_show', { id: task.id })
    assert.deepEqual(shown.above, [{ id: epic.id, title: 'Epic' }])
    assert.equal(shown.history[0].status, 'pending_merge')
    const { tasks } = await desk.ask('tree_list', { status: ['pending_merge'] })
    assert.equal(tasks[0].id, task.id)
  })

  test('tree: restore brings back what was hidden together, and says how many', async () => {
    const days = (count: number) =>
      new TaskTree(ground.store, { now: () => Date.now() - count * 86_400_000 })
    const { id: epic } = await days(40).create({ title: 'Epic' })
    const { id: part } = await days(40).create({ title: 'Part', parent_id: epic })
    for (const id of [part, epic]) {
      await days(40).claim(id, 'ann')
      await days(40).complete(id, 'ann', { skip_review: true })
    }
    await days(1).maintain()
    await using desk = await mcpDesk({ store: ground.store })
    const restored = await desk.ask('tree_change', { action: 'restore', id: epic })
    assert.deepEqual([restored.changed, restored.restored, restored.id], [true, 2, epic])
    const again = await desk.ask('tree_change', { action: 'restore', id: epic })
    assert.deepEqual([again.changed, again.restored], [false, 0])
  })

  test('tree: block, unblock, release, update, and nothing left to claim', async () => {
    await using desk = await mcpDesk({ store: ground.store })
    assert.deepEqual((await desk.ask('tree_change', { action: 'claim' })).ready, [])
    const { id } = await desk.ask('tree_create', { title: 'Task' })
    await desk.ask('tree_change', { action: 'claim', id })
    assert.equal(
      (await desk.ask('tree_change', { action: 'block', id, note: 'Why.' })).status,
      'blocked',
    )
    assert.equal((await desk.ask('tree_change', { action: 'unblock', id })).status, 'open')
    await desk.ask('tree_change', { action: 'claim', id })
    assert.equal((await desk.ask('tree_change', { action: 'release', id })).status, 'open')
    const updated = await desk.ask('tree_change', {
      action: 'update',
      id: id.slice(0, 20),
      title: 'Other',
      priority: 0,
      add_tags: ['x'],
    })
    assert.deepEqual([updated.title, updated.priority, updated.tags], ['Other', 0, ['x']])
    const early = await desk.call('tree_change', { action: 'approve', id })
    assert.equal(early.data.error.code, 'refused')
    const history = await new TaskTree(ground.store).history(id, { field: 'status' })
    assert.deepEqual(
      history.map(({ new_value }) => new_value),
      ['open', 'in_progress', 'open', 'blocked', 'in_progress'],
    )
  })

  test('list: add once, find by tag, mark as done', async () => {
    await using desk = await mcpDesk({ store: ground.store })
    const milk = await desk.ask('list_add', { text: 'Buy milk', tags: ['errand'] })
    assert.equal((await desk.ask('list_add', { text: 'Buy milk' })).changed, false)
    await desk.ask('list_add', { text: 'Call home' })
    assert.equal((await desk.ask('list_show', { any: ['errand'] })).tasks.length, 1)
    assert.deepEqual(await desk.ask('list_show', { limit: 1 }), {
      tasks: [{ id: milk.id, text: 'Buy milk', tags: ['errand'] }],
      shown: '1 of 2',
    })
    const done = await desk.ask('list_change', { id: milk.id, done: true, add_tags: ['food'] })
    assert.deepEqual([done.done, done.tags], [true, ['errand', 'food']])
    assert.equal((await desk.ask('list_change', { id: milk.id, done: true })).changed, false)
    assert.equal((await desk.ask('list_show', { done: true })).tasks.length, 1)
    assert.equal((await desk.call('list_change', { id: 'zz' })).data.error.code, 'invalid')
    assert.equal((await desk.call('list_change', { id: 'ffff' })).data.error.code, 'not_found')
  })
})

describe('the server', () => {
  test('has at most ten tools, each with a description, a schema and hints', async () => {
    await using store = await openStore('memory:')
    await using desk = await mcpDesk({ store })
    const { tools } = await desk.client.listTools()
    assert.equal(tools.length, 10)
    for (const { description = '', inputSchema, annotations } of tools) {
      assert.ok(description.length > 20 && description.length < 300)
      assert.equal(inputSchema.type, 'object')
      assert.equal(annotations?.idempotentHint, true)
    }
    assert.match(desk.client.getInstructions() ?? '', /plan_show/)
  })

  test('gives the plan and the ready list as resources', async () => {
    await using store = await openStore('memory:')
    await using desk = await mcpDesk({ store, directory })
    await desk.ask('plan_goal', { title: 'Ship it' })
    await desk.ask('tree_create', { title: 'Task' })
    const { resources } = await desk.client.listResources()
    const texts: string[] = []
    for (const { uri } of resources) {
      const { contents } = await desk.client.readResource({ uri })
      texts.push((contents[0] as { text: string }).text)
    }
    assert.equal(JSON.parse(texts[0]!).goal.title, 'Ship it')
    assert.equal(JSON.parse(texts[1]!).ready[0].title, 'Task')
  })

  test('refuses what no tool takes, and goes on', async () => {
    await using store = await openStore('memory:')
    await using desk = await mcpDesk({ store })
    for (const [name, given, said] of [
      ['tree_create', {}, /it must have required property 'title'/],
      ['tree_create', { title: 3 }, /title must be string/],
      ['tree_create', { title: 'x', other: 1 }, /it must NOT have additional properties/],
      ['tree_change', { action: 'explode', id: 'x' }, /action must be equal to one of/],
      ['list_show', { limit: 1000 }, /limit must be <= 100/],
    ] as const) {
      const { isError, data } = await desk.call(name, given)
      assert.ok(isError, `${name} took ${JSON.stringify(given)}`)
      assert.equal(data.error.code, 'invalid')
      assert.match(data.error.message, said)
      assert.match(data.error.next, /schema/)
    }
    assert.equal((await desk.call('tree_create', { title: ' ' })).data.error.code, 'invalid')
    assert.equal((await desk.ask('tree_list')).ready.length, 0)
  })

  test('says that the store is away, and what to do', async () => {
    const server = await startNats()
    await using store = await openStore(`${server.url}?timeout_ms=4000`)
    await using desk = await mcpDesk({ store })
    await desk.ask('list_add', { text: 'Buy milk' })
    await server[Symbol.asyncDispose]()
    const { error } = (await desk.call('list_show')).data
    assert.equal(error.code, 'unavailable')
    assert.match(error.next, /try again/)
  })
})
