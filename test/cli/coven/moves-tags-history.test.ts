import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { cleanUp, type Desk, memoryDesk, nobody } from './desk.ts'

cleanUp()

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

describe('coven task reparent', () => {
  test('moves below another task, or to the top', async () => {
    const [a, b] = [await desk.create('a'), await desk.create('b')]
    const child = await desk.create('child', '--parent', b.id)
    assert.equal(
      await desk.coven('task', 'reparent', b.id, a.id),
      `Moved task ${b.id} below ${a.id}\n`,
    )
    assert.equal((await desk.task('show', child.id)).depth, 2)
    assert.equal(
      await desk.coven('task', 'reparent', b.id, a.id),
      `Task ${b.id} is already below ${a.id}\n`,
    )
    assert.equal(
      await desk.coven('task', 'reparent', b.id, '--root'),
      `Moved task ${b.id} to the top\n`,
    )
    assert.equal(
      await desk.coven('task', 'reparent', b.id, '--root'),
      `Task ${b.id} is already at the top\n`,
    )
  })

  test('below itself or what is below it is 14', async () => {
    const a = await desk.create('a')
    const b = await desk.create('b', '--parent', a.id)
    for (const parent of [a, b]) {
      const { exit, code, message } = await desk.refusal('task', 'reparent', a.id, parent.id)
      assert.deepEqual(
        [exit, code, message],
        [14, 'refused', `moving task ${a.id} below ${parent.id} would create a cycle`],
      )
    }
  })

  test('below nobody is 10', async () => {
    const { id } = await desk.create('a')
    const { exit, message } = await desk.refusal('task', 'reparent', id, nobody)
    assert.deepEqual([exit, message], [10, `parent task not found: ${nobody}`])
  })
})

describe('coven task tag', () => {
  test('tags are separate words, or commas stand between them, in every command that takes tags', async () => {
    const { id } = await desk.create('x')
    const tagsAfter = async (...args: string[]) => (await desk.task('tag', ...args)).tags
    assert.deepEqual(await tagsAfter('add', id, 'x,y', 'z'), ['x', 'y', 'z'])
    assert.deepEqual(await tagsAfter('remove', id, 'x,z'), ['y'])
    assert.deepEqual(await tagsAfter('set', id, 'a, b', 'c,d'), ['a', 'b', 'c', 'd'])
    await desk.json('task', 'bulk', 'tag', 'e,f', id)
    assert.deepEqual((await desk.task('show', id)).tags, ['a', 'b', 'c', 'd', 'e', 'f'])
    for (const verb of ['add', 'remove', 'set'])
      for (const word of ['x,', ',', '', 'a,,b'])
        assert.equal((await desk.refusal('task', 'tag', verb, id, word)).exit, 2, word)
  })

  test('adds, removes, sets and lists', async () => {
    const { id } = await desk.create('x', '--tags', 'a')
    assert.equal(
      await desk.coven('task', 'tag', 'add', id, 'b', 'a', 'B'),
      `Task ${id} has the tags a,b,B\n`,
    )
    assert.equal(
      await desk.coven('task', 'tag', 'add', id, 'b'),
      `Task ${id} already has the tags a,b,B\n`,
    )
    assert.equal(
      await desk.coven('task', 'tag', 'remove', id, 'a', 'zz'),
      `Task ${id} has the tags b,B\n`,
    )
    assert.equal(
      await desk.coven('task', 'tag', 'set', id, 'area/web'),
      `Task ${id} has the tags area/web\n`,
    )
    assert.equal(await desk.coven('task', 'tag', 'list', id), 'area/web\n')
    assert.deepEqual((await desk.task('tag', 'set', id)).tags, [])
    const { kind, data, total, shown } = await desk.json('task', 'tag', 'list', id)
    assert.deepEqual([kind, data, total, shown], ['tag.list', [], 0, 0])
    assert.equal(
      await desk.coven('task', 'tag', 'remove', id, 'a'),
      `Task ${id} already has no tags\n`,
    )
  })
})

describe('coven task history', () => {
  test('shows the newest first: who, when, and from what to what', async () => {
    const { id } = await desk.create('x')
    await desk.coven('task', 'update', id, '--body', 'first\nsecond')
    await desk.coven('task', 'claim', id)
    await desk.coven('task', 'block', id, '--reason', 'why\nnot')
    const lines = await desk.lines('task', 'history', id)
    const shown = lines.map((line) => line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}/, ''))
    assert.deepEqual(shown, [
      'ann  status: in_progress → blocked (why…)',
      'ann  claimed_by: ann → (none)',
      'ann  status: open → in_progress',
      'ann  claimed_by: (none) → ann',
      'ann  grimoire: (none) → implement-bead',
      'ann  body: (none) → first…',
      'ann  created_by: (none) → ann',
    ])
  })

  test('of one field, since a time, cut to a limit', async () => {
    const { id } = await desk.create('x')
    for (const priority of ['0', '1', '3'])
      await desk.coven('task', 'update', id, '--priority', priority)
    await desk.coven('task', 'update', id, '--title', 'y')
    const { kind, data, total, shown } = await desk.json(
      'task',
      'history',
      id,
      '--field',
      'priority',
    )
    assert.deepEqual([kind, data.length, total, shown], ['history', 3, 3, 3])
    assert.deepEqual(Object.keys(data[0]), [
      'task_id',
      'field',
      'old_value',
      'new_value',
      'changed_at',
      'changed_by',
    ])
    const { stdout, stderr } = await desk.run(['task', 'history', id, '--limit', '2'])
    assert.deepEqual([stdout.split('\n').length - 1, stderr], [2, '2 of 5\n'])
    assert.equal((await desk.lines('task', 'history', id, '--since', '2026-01-31')).length, 5)
    assert.equal(
      (await desk.lines('task', 'history', id, '--since', '2999-01-01T00:00:00+01:00')).length,
      0,
    )
  })
})

describe('coven task restore', () => {
  test('of what is there already says so', async () => {
    const { id } = await desk.create('x')
    assert.equal(await desk.coven('task', 'restore', id), `Task ${id} is already there\n`)
  })
})
