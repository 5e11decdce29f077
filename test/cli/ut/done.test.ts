import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { type Desk, memoryDesk, short } from './desk.ts'

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

const ok = ({ id }: { id: string }) => `OK (matched id ${id.slice(0, 14)}...${id.slice(-4)})\n`

describe('ut done and undone', () => {
  test('done prints the line of the seed: 14 hex, three dots, 4 hex', async () => {
    const task = await desk.add('Buy milk')
    const printed = await desk.ut('done', task.id.slice(0, 8))
    assert.equal(printed, ok(task))
    assert.match(printed, /^OK \(matched id [0-9a-f]{14}\.\.\.[0-9a-f]{4}\)\n$/)
    assert.equal((await desk.json('show', task.id)).data.done, true)
  })

  test('done again is exit 0; "already done" goes to stderr, the line stays the same', async () => {
    const task = await desk.add('Buy milk')
    await desk.ut('done', task.id)
    const again = await desk.run(['done', task.id])
    assert.deepEqual(again, {
      exit: 0,
      stdout: ok(task),
      stderr: `ut: ${short(task)} is already done.\n`,
    })
  })

  test('undone prints the row, and says where it was open already', async () => {
    const task = await desk.add('Buy milk', '-t', 'a')
    await desk.ut('done', task.id)
    const row = `${short(task)}  Buy milk  [a]\n`
    assert.equal(await desk.ut('undone', task.id), row)
    const again = await desk.run(['undone', task.id])
    assert.deepEqual([again.exit, again.stdout], [0, row])
    assert.match(again.stderr, /already open/)
  })

  test('several ids answer one after the other; the same one counts once', async () => {
    const [a, b] = [await desk.add('a'), await desk.add('b')]
    const printed = await desk.ut('done', b.id, a.id.slice(0, 20), b.id.slice(0, 30))
    assert.equal(printed, ok(b) + ok(a))
  })

  test('--json always answers a list', async () => {
    const { id } = await desk.add('a')
    const { kind, data, total, shown } = await desk.json('done', id)
    assert.deepEqual([kind, data.length, total, shown], ['task.list', 1, 1, 1])
    assert.equal(data[0].done, true)
    assert.equal((await desk.json('undone', id)).data[0].done, false)
  })

  test('--quiet prints nothing, not even that it was done already', async () => {
    const { id } = await desk.add('a')
    assert.equal(await desk.ut('done', id, '--quiet'), '')
    assert.equal(await desk.ut('done', id, '--quiet'), '')
    assert.equal(await desk.ut('undone', id, '--quiet'), '')
  })

  for (const command of ['done', 'undone', 'rm'])
    test(`${command}: where one id is not found or ambiguous, nothing changes`, async () => {
      const [a, b] = [await desk.add('a'), await desk.add('b')]
      await desk.ut('done', b.id)
      const before = await desk.json('ls')
      const missing = await desk.refusal(command, a.id, 'f'.repeat(128), b.id)
      assert.deepEqual([missing.exit, missing.stdout], [3, ''])
      await desk.putTask({ id: `${a.id.slice(0, 127)}${a.id.endsWith('0') ? 1 : 0}` })
      const ambiguous = await desk.refusal(command, b.id, a.id.slice(0, 20))
      assert.deepEqual([ambiguous.exit, ambiguous.stdout], [5, ''])
      const after = (await desk.json('ls')).data.filter(
        (task: { text: string }) => task.text !== 'Foreign',
      )
      assert.deepEqual(after, before.data)
    })

  test('prefixes work in any case, and from one digit on', async () => {
    const { id } = await desk.add('a')
    assert.match(await desk.ut('done', id.slice(0, 1)), /^OK/)
    assert.match(await desk.ut('undone', id.slice(0, 9).toUpperCase()), / a\n$/)
  })
})
