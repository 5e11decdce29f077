import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { cleanUp, type Desk, memoryDesk, nobody } from './desk.ts'

cleanUp()

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

describe('coven task create', () => {
  test('says the whole id, and is by default a task of priority 2 at the top', async () => {
    const stdout = await desk.coven('task', 'create', '--title', ' Tag it ')
    const [, id = ''] = /^Created task ([0-9a-f-]{36})\n$/.exec(stdout) ?? []
    const { created_at, updated_at, ...task } = await desk.task('show', id)
    assert.equal(created_at, updated_at)
    assert.deepEqual(task, {
      id,
      parent_id: null,
      depth: 0,
      title: 'Tag it',
      body: null,
      type: 'task',
      priority: 2,
      tags: [],
      grimoire_hint: null,
      status: 'open',
      claimed_by: null,
      claimed_at: null,
      grimoire: null,
      deleted_at: null,
    })
  })

  test('takes everything that a task has', async () => {
    const parent = await desk.create('Epic', '--type', 'epic', '--grimoire', 'plan')
    const args = ['--body', 'Line\n\tmore', '--type', 'bug', '--priority', '0', '--tags', 'a,b']
    const task = await desk.create('Bug', ...args, '--tags', 'c', '--parent', parent.id)
    const { body, type, priority, tags, parent_id, depth, grimoire_hint } = task
    assert.deepEqual(
      [body, type, priority, tags, parent_id, depth, grimoire_hint],
      ['Line\n\tmore', 'bug', 0, ['a', 'b', 'c'], parent.id, 1, 'plan'],
    )
    assert.equal(
      (await desk.create('x', '--grimoire', 'own', '--parent', parent.id)).grimoire_hint,
      'own',
    )
    assert.equal(
      (await desk.create('x', '--grimoire', '', '--parent', parent.id)).grimoire_hint,
      null,
    )
  })

  test('reads the body from stdin or a file', async () => {
    const { stdout } = await desk.run(['task', 'create', '--title', 'x', '--body', '-', '--json'], {
      stdin: 'from `stdin`\n',
    })
    assert.equal(JSON.parse(stdout).data.body, 'from `stdin`')
    desk.place('notes.md', '# Notes\n\ntext\n')
    assert.equal((await desk.create('x', '--file', 'notes.md')).body, '# Notes\n\ntext')
  })

  test('below nobody is 10, whether by an id or the start of one', async () => {
    await desk.create('Somebody')
    for (const parent of [nobody, 'fff']) {
      const { exit, code, message } = await desk.refusal(
        'task',
        'create',
        '--title',
        'x',
        '--parent',
        parent,
      )
      assert.deepEqual([exit, code, message], [10, 'not_found', `parent task not found: ${parent}`])
    }
  })

  test('warns of what is more than 10 levels deep', async () => {
    let parent = await desk.create('level 0')
    for (let depth = 1; depth <= 10; depth++)
      parent = await desk.create(`level ${depth}`, '--parent', parent.id)
    const args = ['task', 'create', '--title', 'deep', '--parent', parent.id]
    const { exit, stdout, stderr } = await desk.run(args)
    assert.equal(exit, 0)
    const [, id] = /^Created task (\S+)\n/.exec(stdout) ?? []
    assert.equal(stderr, `coven: warning: Task ${id} is 11 levels deep.\n`)
    const moved = await desk.run(['task', 'reparent', id as string, parent.id])
    assert.match(moved.stderr, /11 levels deep/)
  })
})

describe('coven task show', () => {
  test('prints what there is, field by field', async () => {
    const { id, created_at } = await desk.create(
      'Tag it',
      '--tags',
      'a,b',
      '--body',
      'one\nid: two',
    )
    assert.deepEqual(await desk.lines('task', 'show', id), [
      `id: ${id}`,
      'title: Tag it',
      'type: task',
      'status: open',
      'priority: 2',
      'depth: 0',
      'tags: a,b',
      `created_at: ${created_at}`,
      `updated_at: ${created_at}`,
      'body: one',
      '      id: two',
    ])
  })

  test('takes the start of an id, in upper or lower case, with or without hyphens', async () => {
    const { id } = await desk.create('One')
    assert.equal((await desk.task('show', id.slice(0, 1))).id, id)
    assert.equal((await desk.task('show', id.toUpperCase())).id, id)
    assert.equal((await desk.task('show', ` ${id.slice(0, 20).toUpperCase()} `)).id, id)
    for (const length of [8, 9, 13, 20, 32])
      assert.equal((await desk.task('show', id.replaceAll('-', '').slice(0, length))).id, id)
    const { exit } = await desk.refusal('task', 'show', `${id.replaceAll('-', '')}0`)
    assert.equal(exit, 2)
  })

  test('an ambiguous start is 5, with the candidates', async () => {
    const ids = [(await desk.create('One')).id, (await desk.create('Two')).id]
    const { exit, code, message, stderr } = await desk.refusal('task', 'show', '0')
    assert.deepEqual([exit, code], [5, 'ambiguous'])
    assert.equal(message, '2 tasks have an id that starts with 0.')
    for (const id of ids) assert.ok(stderr.includes(`\n  ${id}  P2  open  task`), stderr)
    const { stdout } = await desk.run(['task', 'show', '0', '--json'])
    const { candidates, count } = JSON.parse(stdout).error
    assert.deepEqual([candidates, count], [ids, 2])
  })

  test('names 20 candidates at most, and how many there are', async () => {
    for (let at = 0; at < 23; at++) await desk.create(`Task ${at}`)
    const { stderr } = await desk.run(['task', 'claim', '01'])
    assert.equal(stderr.split('\n').length, 1 + 20 + 1 + 1)
    assert.match(stderr, /\n {2}20 of 23\n$/)
  })
})

describe('coven task update', () => {
  test('changes what is given', async () => {
    const { id } = await desk.create('Old', '--body', 'text')
    const args = [
      '--title',
      'New',
      '--body',
      '',
      '--type',
      'bug',
      '--priority',
      '4',
      '--grimoire',
      'g',
    ]
    assert.equal(await desk.coven('task', 'update', id, ...args), `Updated task ${id}\n`)
    const { title, body, type, priority, grimoire_hint } = await desk.task('show', id)
    assert.deepEqual([title, body, type, priority, grimoire_hint], ['New', null, 'bug', 4, 'g'])
    assert.equal((await desk.task('update', id, '--grimoire', '')).grimoire_hint, null)
  })

  test('says that nothing had to be changed', async () => {
    const { id, updated_at } = await desk.create('Same')
    assert.equal(
      await desk.coven('task', 'update', id, '--title', 'Same'),
      `Task ${id} is already so\n`,
    )
    assert.equal((await desk.task('show', id)).updated_at, updated_at)
  })

  test('moves to a status by the verb that leads there', async () => {
    const { id } = await desk.create('Work')
    for (const status of [
      'in_progress',
      'blocked',
      'open',
      'in_progress',
      'pending_merge',
      'closed',
    ])
      assert.equal(
        await desk.coven('task', 'update', id, '--status', status),
        `Updated task ${id} (status: ${status})\n`,
      )
    assert.equal(
      await desk.coven('task', 'update', id, '--status', 'closed'),
      `Task ${id} is already closed\n`,
    )
    assert.equal((await desk.refusal('task', 'update', id, '--status', 'open')).exit, 11)
    assert.equal((await desk.task('show', id)).grimoire, 'implement-bead')
  })

  test('under the rules of that verb', async () => {
    const { id } = await desk.claimed()
    assert.equal((await desk.as('bob').refusal('task', 'update', id, '--status', 'open')).exit, 13)
    const open = await desk.create('Open')
    assert.equal(
      (await desk.as(null).refusal('task', 'update', open.id, '--status', 'in_progress')).exit,
      2,
    )
    assert.equal((await desk.refusal('task', 'update', open.id, '--status', 'closed')).exit, 11)
  })
})
