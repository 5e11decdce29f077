import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { type Desk, idFrom, memoryDesk } from './desk.ts'

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

describe('words that look like options', () => {
  for (const word of ['-shopping list', '- dash', '-hello', '-xh'])
    test(`ut add "${word}" is a usage error, and no wish for help`, async () => {
      const { exit, stdout } = await desk.run(['add', word])
      assert.deepEqual({ exit, stdout }, { exit: 2, stdout: '' })
    })

  test('after -- they are words', async () => {
    assert.match(await desk.ut('add', '--', '-shopping list'), / {2}-shopping list\n$/)
  })

  test('-t=work is the tag work', async () => {
    assert.deepEqual((await desk.add('x', '-t=work')).tags, ['work'])
  })

  test('- among other words is refused, for it stands for stdin', async () => {
    for (const words of [
      ['-', 'x'],
      ['x', '-'],
    ])
      assert.equal((await desk.run(['add', ...words])).exit, 2)
  })
})

describe('several ids, of which one is refused in the midst', () => {
  test('the others are told of, with --json too, and the exit code is that of the refusal', async () => {
    await desk.add('One')
    const [one, two] = [await desk.add('Two'), await desk.add('Three')]
    // Somebody else deletes the first after both were looked up.
    const { TaskList } = await import('../../../src/list/index.ts')
    const remove = TaskList.prototype.delete
    TaskList.prototype.delete = async function (id) {
      TaskList.prototype.delete = remove
      await remove.call(this, id)
      return remove.call(this, id)
    }
    const { exit, stdout } = await desk.run(['rm', one.id, two.id, '--json'])
    const { kind, data, errors } = JSON.parse(stdout)
    assert.equal(exit, 3)
    assert.equal(kind, 'task.list')
    assert.deepEqual(
      data.map(({ text }: { text: string }) => text),
      ['Three'],
    )
    assert.deepEqual(
      errors.map(({ code }: { code: string }) => code),
      ['not_found'],
    )
  })
})

describe('tasks of other programs', () => {
  test('tags may be null or missing, and done too', async () => {
    const id = idFrom('a1')
    const created = '2025-08-26T13:40:00Z'
    await desk.put(`utask_tasks/${id}`, JSON.stringify({ id, text: 'Go', tags: null, created }))
    assert.deepEqual(await desk.lines('ls'), ['a10000000000  Go'])
    assert.equal((await desk.json('show', 'a1')).data.done, false)
  })

  test('tags in capitals, or twice, count as one in lower case', async () => {
    await desk.putTask({ id: idFrom('b1'), tags: ['UP', 'up', 'x', 'x'] })
    await desk.ut('rebuild-index')
    assert.deepEqual(await desk.lines('tags'), ['up  1', 'x  1'])
    assert.deepEqual(await desk.lines('ls', '--any', 'UP'), ['b10000000000  Foreign  [up,x]'])
    assert.deepEqual(await desk.lines('edit', 'b1', '-t', '-up'), ['b10000000000  Foreign  [x]'])
    assert.deepEqual(
      (await desk.keys()).filter((key) => key.startsWith('utask_tags')),
      ['utask_tags/x'],
    )
  })

  test('a corrupt one with a shorter key goes by that key', async () => {
    await desk.put('utask_tasks/bad', 'x')
    assert.equal((await desk.run(['rm', 'ba'])).exit, 1)
    assert.equal((await desk.run(['rm', 'bad'])).exit, 0)
    assert.deepEqual(await desk.keys(), [])
  })
})

test('a cut list is quiet about it with --quiet', async () => {
  for (const text of ['One', 'Two']) await desk.add(text)
  const cut = await desk.run(['ls', '--limit', '1'])
  assert.match(cut.stderr, /1 of 2/)
  assert.equal((await desk.run(['ls', '--limit', '1', '--quiet'])).stderr, '')
})

test('more tags than can be written together are refused by name of the limit', async () => {
  const tags = Array.from({ length: 201 }, (_, at) => `t${at}`).join(',')
  const { exit, error } = await desk.refusal('add', 'x', '-t', tags)
  assert.equal(exit, 2)
  assert.match(error.next, /200/)
})
