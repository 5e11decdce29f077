import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { type Desk, memoryDesk } from './desk.ts'

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

describe('ut show', () => {
  test('prints field: value lines in the order of the seed', async () => {
    const { id, created } = await desk.add('Buy milk', '-t', 'a,b')
    assert.deepEqual(await desk.lines('show', id.slice(0, 8)), [
      `id: ${id}`,
      'text: Buy milk',
      'done: false',
      'tags: a,b',
      `created: ${created}`,
    ])
    assert.deepEqual(await desk.lines('show', id, '--quiet'), await desk.lines('show', id))
  })

  test('shows a whole text, further lines below the first; no tags leave no space', async () => {
    const { id } = await desk.add('one\ndone: true\n\n\tend')
    const lines = await desk.lines('show', id)
    assert.deepEqual(lines.slice(1, 7), [
      'text: one',
      '      done: true',
      '',
      '      \tend',
      'done: false',
      'tags:',
    ])
  })

  test('--json answers kind task', async () => {
    const task = await desk.add('x')
    assert.deepEqual(await desk.json('show', task.id), { v: 1, kind: 'task', data: task })
  })
})

describe('ut rm', () => {
  test('prints the line of the seed', async () => {
    const task = await desk.add('x', '-t', 'a')
    const { id } = task
    const printed = await desk.ut('rm', id.slice(0, 8))
    assert.equal(printed, `Deleted (matched id ${id.slice(0, 14)}...${id.slice(-4)})\n`)
    assert.deepEqual(await desk.keys(), [])
  })

  test('of what is gone is 3', async () => {
    const { id } = await desk.add('x')
    await desk.ut('rm', id)
    assert.equal((await desk.refusal('rm', id)).exit, 3)
  })

  test('--json answers what was deleted, as a list; --quiet prints nothing', async () => {
    const [a, b] = [await desk.add('a'), await desk.add('b')]
    const { kind, data } = await desk.json('rm', b.id)
    assert.deepEqual([kind, data], ['task.list', [b]])
    assert.equal(await desk.ut('rm', a.id, '--quiet'), '')
  })
})

describe('ut tags and rebuild-index', () => {
  test('tags prints tag and count, sorted; two spaces in a pipe, columns for a person', async () => {
    await desk.add('x', '-t', 'shopping,errand')
    await desk.add('y', '-t', 'errand')
    assert.equal(await desk.ut('tags'), 'errand  2\nshopping  1\n')
    assert.equal(await desk.ut('tags', '--quiet'), 'errand  2\nshopping  1\n')
    const { stdout } = await desk.run(['tags'], { isTerminal: true })
    assert.equal(stdout, 'errand    2\nshopping  1\n')
  })

  test('tags --json answers kind tag.list', async () => {
    await desk.add('x', '-t', 'b,a')
    assert.deepEqual(await desk.json('tags'), {
      v: 1,
      kind: 'tag.list',
      data: [
        { tag: 'a', count: 1 },
        { tag: 'b', count: 1 },
      ],
      total: 2,
      shown: 2,
    })
  })

  test('tags is never cut', async () => {
    const all = Array.from({ length: 60 }, (_, at) => `tag${at}`)
    await desk.add('x', '-t', all.join(','))
    assert.equal((await desk.lines('tags')).length, 60)
  })

  test('rebuild-index prints one line with the counts, and mends', async () => {
    await desk.add('x', '-t', 'a')
    await desk.putTask({ id: 'e'.repeat(128), tags: ['b'] })
    assert.equal(
      await desk.ut('rebuild-index'),
      'Index rebuilt: 2 tasks, 2 tags, 1 added, 0 removed.\n',
    )
    const { kind, data } = await desk.json('rebuild-index')
    assert.equal(kind, 'repair')
    assert.deepEqual(data, { tasks: 2, tags: 2, added: 0, removed: 0, corrupt: [] })
    assert.equal(await desk.ut('rebuild-index', '--quiet'), '')
  })
})
