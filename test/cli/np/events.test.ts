import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { remove, update } from '../../../src/store/index.ts'
import { cleanUp, type Desk, memoryDesk } from './desk.ts'

cleanUp()
let desk: Desk
let sid = ''
let ids: string[] = []
beforeEach(async () => {
  desk = memoryDesk()
  ids = await desk.begin('One', 'Two')
  sid = (await desk.plan('p')).session.sid
})

const eventKey = (seq: number) => `np/s/${sid}/evt/${seq.toString(16).padStart(16, '0')}`

describe('np e', () => {
  test('shows what happened, in order, and why', async () => {
    await desk.np('t', 'u', '-i', ids[0]!, '-s', 'failed', '-t', 'Uno', '-r', 'no fixture\nat all')
    await desk.np('g', 'u', '-d', 'more', '-r', 'asked for')
    const lines = (await desk.lines('e')).map((line) =>
      line.replace(/ {2}\d{4}-\S+Z {2}/, '  AT  '),
    )
    assert.deepEqual(lines, [
      '1  AT  goal_set  Ship',
      `2  AT  task_added  ${ids[0]} One`,
      `3  AT  task_added  ${ids[1]} Two`,
      `4  AT  task_updated  ${ids[0]} One → Uno`,
      '    reason: no fixture',
      '    at all',
      `5  AT  task_status_changed  ${ids[0]} pending → failed: Uno`,
      '    reason: no fixture',
      '    at all',
      '6  AT  goal_updated  Ship (description)',
      '    reason: asked for',
    ])
  })

  test('--json has the events with the fields of the seed', async () => {
    const { kind, data, total, shown } = await desk.json('e')
    assert.deepEqual([kind, total, shown], ['event.list', 3, 3])
    for (const event of data)
      assert.deepEqual(Object.keys(event), ['seq', 'at', 'type', 'reason', 'cmd', 'payload'])
  })

  test('shows the newest 50 in order, and says so; --limit and --all show more or less', async () => {
    const titles = Array.from({ length: 57 }, (_, at) => ['-t', `T${at}`]).flat()
    await desk.np('t', 'a', ...titles, '--quiet')
    const { stdout, stderr } = await desk.run(['e', '--json'])
    const seqs = JSON.parse(stdout).data.map(({ seq }: { seq: number }) => seq)
    assert.deepEqual(
      seqs,
      Array.from({ length: 50 }, (_, at) => 11 + at),
    )
    assert.equal(stderr, '50 of 60\n')
    assert.match((await desk.run(['e', '--limit', '1'])).stdout, /^60 {2}/)
    assert.equal((await desk.lines('e', '--all')).length, 60)
  })

  test('of a session without events is empty, and says so', async () => {
    const other = desk.in('other')
    await other.start()
    const { exit, stdout, stderr } = await other.run(['e'])
    assert.deepEqual([exit, stdout, stderr], [0, '', 'np: No events yet.\n'])
  })
})

describe('a truncated event', () => {
  beforeEach(() => desk.truncate(eventKey(2)))

  test('is named by np e, which shows the others, exit 0', async () => {
    const { exit, stdout, stderr } = await desk.run(['e'])
    assert.equal(exit, 0)
    assert.match(stdout, /^1 {2}.*\n3 {2}.*\n$/)
    assert.match(stderr, new RegExp(`^np: warning: Event 2 of session ${sid} can't be read \\(`))
    assert.doesNotMatch(stderr, /2 of 3/)
    const { data, total, shown } = JSON.parse((await desk.run(['e', '--json'])).stdout)
    assert.deepEqual([data.length, total, shown], [2, 2, 2])
  })

  test('is named by np repair, exit 1, and never deleted', async () => {
    const before = await desk.contents()
    const { exit, stdout, stderr } = await desk.run(['repair'])
    assert.equal(exit, 1)
    assert.equal(stdout, 'Repaired: 1 session, 3 events, 0 mended, 1 left.\n')
    assert.match(stderr, new RegExp(`Event 2 of session ${sid} can't be read`))
    const json = await desk.run(['repair', '--json'])
    const { kind, data } = JSON.parse(json.stdout)
    assert.deepEqual([json.exit, kind, data.left.length], [1, 'repair', 1])
    assert.deepEqual(await desk.contents(), before)
  })

  test('disturbs no other command', async () => {
    assert.equal((await desk.plan('p')).tasks.length, 2)
    await desk.np('t', 'u', '-i', ids[0]!, '-s', 'doing')
    await desk.np('t', 'a', '-t', 'Three')
    await desk.np('g', 'u', '-t', 'Sail', '-r', 'x')
    for (const command of ['r', 'x']) assert.equal((await desk.run([command])).exit, 0, command)
    for (const command of ['g', 't', 'l', 'a']) await desk.np(command)
  })

  test('of a task that was added: its present text is compared', async () => {
    assert.match((await desk.run(['t', 'a', '-t', 'One'])).stderr, /already there/)
  })
})

describe('np repair', () => {
  test('finds nothing where nothing is wrong', async () => {
    assert.equal(await desk.np('repair'), 'Repaired: 1 session, 3 events, 0 mended, 0 left.\n')
    const { kind, data } = await desk.json('repair')
    assert.deepEqual([kind, data], ['repair', { sessions: 1, events: 3, mended: 0, left: [] }])
  })

  test('restores documents and indexes from the log', async () => {
    const sound = await desk.contents()
    await desk.withStore(async (store) => {
      for (const key of [`np/s/${sid}/goal`, `np/s/${sid}/idx/status/pending/${ids[0]}`]) {
        const entry = await store.get(key)
        await store.commit([remove(entry!)])
      }
      const task = await store.get(`np/s/${sid}/task/${ids[1]}`)
      await store.commit([update(task!, Buffer.from('{"id":'))])
    })
    assert.equal((await desk.refusal('t', 'u', '-i', ids[1]!, '-s', 'done')).exit, 1)
    const { stderr } = await desk.run(['p'])
    assert.match(stderr, new RegExp(`warning: The task ${ids[1]} is corrupt`))
    const { stdout } = await desk.run(['repair'])
    assert.match(stdout, /, 3 mended, 0 left\.\n$/)
    assert.deepEqual(await desk.contents(), sound)
  })

  test('a goal that can not be read is exit 1, and says that repair restores it', async () => {
    await desk.truncate(`np/s/${sid}/goal`)
    const { exit, code, next } = await desk.refusal('g')
    assert.deepEqual([exit, code], [1, 'corrupt'])
    assert.match(next, /'np repair'/)
    assert.equal((await desk.run(['repair'])).exit, 0)
    assert.equal(await desk.np('g'), 'Goal: Ship\n')
  })
})
