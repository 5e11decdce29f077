import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { type Desk, memoryDesk, short } from './desk.ts'

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

describe('ut ls', () => {
  const fill = async () => {
    const ship = await desk.add('Ship patch', '-t', 'work,urgent')
    const pager = await desk.add('Pager duty', '-t', 'ops,urgent')
    const milk = await desk.add('Buy milk')
    await desk.ut('done', pager.id)
    return { ship, pager, milk }
  }
  const texts = async (...args: string[]) =>
    (await desk.json('ls', ...args)).data.map(({ text }: { text: string }) => text)

  test('lists by time of adding; done ones have a ✓ before their text', async () => {
    const { ship, pager, milk } = await fill()
    assert.deepEqual(await desk.lines('ls'), [
      `${short(ship)}  Ship patch    [work,urgent]`,
      `${short(pager)}  ✓ Pager duty  [ops,urgent]`,
      `${short(milk)}  Buy milk`,
    ])
  })

  test('--any is a union, --all an intersection, and together both must hold', async () => {
    await fill()
    assert.deepEqual(await texts('--any', 'work,ops'), ['Ship patch', 'Pager duty'])
    assert.deepEqual(await texts('--all', 'urgent,work'), ['Ship patch'])
    assert.deepEqual(await texts('--any', 'work,ops', '--all', 'urgent,ops'), ['Pager duty'])
    assert.deepEqual(await texts('--any', 'WORK', '--any', 'nothing'), ['Ship patch'])
    assert.deepEqual(await texts('--all', 'nothing'), [])
  })

  test('--done and --open', async () => {
    await fill()
    assert.deepEqual(await texts('--done'), ['Pager duty'])
    assert.deepEqual(await texts('--open'), ['Ship patch', 'Buy milk'])
    assert.deepEqual(await texts('--open', '--any', 'urgent'), ['Ship patch'])
  })

  test('without a command open tasks are listed', async () => {
    await fill()
    assert.deepEqual(await desk.lines(), await desk.lines('ls', '--open'))
    const { kind, data } = await desk.json()
    assert.deepEqual([kind, data.length], ['task.list', 2])
  })

  test('--limit cuts, and says so on stderr', async () => {
    await fill()
    const { exit, stdout, stderr } = await desk.run(['ls', '--limit', '2'])
    assert.deepEqual([exit, stdout.split('\n').length, stderr], [0, 3, '2 of 3\n'])
    const quiet = await desk.run(['ls', '--limit', '2', '--quiet'])
    assert.equal(quiet.stdout, stdout)
  })

  test('shows all by default, and more than a thousand of them', async () => {
    for (let at = 0; at < 1003; at++) await desk.putTask({ id: at.toString(16).padStart(128, '0') })
    assert.equal((await desk.lines('ls')).length, 1003)
  })

  test('--json answers kind task.list, with the same shape for none, one and many', async () => {
    const { milk } = await fill()
    const none = await desk.json('ls', '--any', 'nothing')
    assert.deepEqual(none, { v: 1, kind: 'task.list', data: [], total: 0, shown: 0 })
    const { stdout } = await desk.run(['ls', '--json', '--limit', '1'])
    const { v, kind, data, total, shown } = JSON.parse(stdout)
    assert.deepEqual([v, kind, data.length, total, shown], [1, 'task.list', 1, 3, 1])
    assert.deepEqual((await desk.json('ls')).data[2], milk)
  })

  test('prints nothing where nothing matches, and says so only to a person', async () => {
    await fill()
    const args = ['ls', '--any', 'nothing']
    assert.deepEqual(await desk.run(args), { exit: 0, stdout: '', stderr: '' })
    const { stdout, stderr } = await desk.run(args, { isTerminal: true })
    assert.deepEqual([stdout, stderr], ['', 'ut: No task matches.\n'])
  })
})
