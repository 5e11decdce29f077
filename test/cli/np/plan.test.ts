import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { cleanUp, type Desk, lastLine, memoryDesk } from './desk.ts'

cleanUp()
let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

describe('np p', () => {
  test('prints session, goal, legend, tasks and the next step', async () => {
    const [one, two] = await desk.begin('One', 'Two')
    await desk.np('t', 'u', '-i', one!, '-s', 'done')
    await desk.np('g', 'u', '-d', 'first\nsecond', '-r', 'why')
    const { session } = await desk.plan('p')
    assert.deepEqual(await desk.lines('p'), [
      `Session ${session.sid} in ${desk.directory}`,
      'Goal: Ship',
      '  first',
      '  second',
      '',
      '☐ pending  ⟳ in progress  ☑ completed',
      `☑ ${one}  One`,
      `☐ ${two}  Two`,
      '',
      `Next: np t u -i ${two} -s in_progress`,
    ])
  })

  test('failed and cancelled are in the legend only when present', async () => {
    const [one, two] = await desk.begin('One', 'Two')
    const legend = async () => (await desk.lines('p')).find((line) => line.startsWith('☐ pending'))
    assert.equal(await legend(), '☐ pending  ⟳ in progress  ☑ completed')
    await desk.np('t', 'u', '-i', one!, '-s', 'failed', '-r', 'x')
    assert.equal(await legend(), '☐ pending  ⟳ in progress  ☑ completed  ☒ failed')
    await desk.np('t', 'u', '-i', two!, '-s', 'cancelled', '-r', 'x')
    assert.match(await desk.np('p'), new RegExp(`\n☒ ${one} {2}One\n⊗ ${two} {2}Two\n`))
    assert.match((await legend())!, / {2}☒ failed {2}⊗ cancelled$/)
  })

  test('--json has session, goal, tasks and the next step, and how many there are', async () => {
    await desk.begin('One')
    const { v, kind, data, total, shown } = await desk.json('p')
    assert.deepEqual([v, kind, total, shown], [1, 'plan', 1, 1])
    assert.deepEqual(Object.keys(data), ['session', 'goal', 'tasks', 'next'])
    assert.deepEqual(Object.keys(data.tasks[0]), [
      'id',
      'title',
      'description',
      'status',
      'created_at',
      'updated_at',
      'created_seq',
    ])
  })

  test('--quiet prints the plan, without the next step', async () => {
    await desk.begin('One')
    const text = await desk.np('p', '--quiet')
    assert.match(text, /Goal: Ship/)
    assert.ok(!text.includes('Next'))
  })

  test('text of others can not play with the terminal', async () => {
    const [one] = await desk.begin('One')
    const { sid } = (await desk.plan('p')).session
    await desk.withStore(async (store) => {
      const entry = await store.get(`np/s/${sid}/task/${one}`)
      const task = JSON.parse(Buffer.from(entry!.value).toString())
      const value = Buffer.from(
        JSON.stringify({ ...task, title: 'a\u001b[2Jb\nc', description: 'x\u0007\ty' }),
      )
      await store.commit([{ type: 'update', key: entry!.key, revision: entry!.revision, value }])
    })
    const text = await desk.np('p')
    assert.match(text, / {2}a\\x1b\[2Jb c\n {4}x\\x07\ty\n/)
  })
})

describe('the next step', () => {
  const next = async () => lastLine(await desk.np('p'))

  test('without a goal is np g s, also where there are tasks', async () => {
    await desk.start()
    assert.equal(await next(), 'Next: np g s -t TITLE -d DESCRIPTION')
    await desk.np('t', 'a', '-t', 'One')
    assert.equal(await next(), 'Next: np g s -t TITLE -d DESCRIPTION')
  })

  test('without tasks is np t a', async () => {
    await desk.begin()
    assert.equal(await next(), 'Next: np t a -t TITLE -d DESCRIPTION')
  })

  test('else np t u: to finish what is in progress, or to begin what waits', async () => {
    const [one, two] = await desk.begin('One', 'Two')
    assert.equal(await next(), `Next: np t u -i ${one} -s in_progress`)
    await desk.np('t', 'u', '-i', two!, '-s', 'doing')
    assert.equal(await next(), `Next: np t u -i ${two} -s completed`)
  })

  test('where all are done, failed or cancelled, np a', async () => {
    const ids = await desk.begin('One', 'Two', 'Three')
    const pairs = ids.flatMap((id, at) => ['-i', id, '-s', ['done', 'failed', 'cancel'][at]!])
    const text = await desk.np('t', 'u', ...pairs, '-r', 'why')
    assert.equal(lastLine(text), 'Next: np a')
  })

  test('of a session that was named says where it can be taken', async () => {
    await desk.begin()
    const { sid } = (await desk.plan('p')).session
    assert.equal(
      lastLine(await desk.in('below').np('p', sid)),
      `Next, in ${desk.directory}: np t a -t TITLE -d DESCRIPTION`,
    )
  })

  test('never is the monitor', async () => {
    const [one] = await desk.begin('One')
    for (const text of [await desk.np('p'), await desk.np('r'), await desk.np('e')])
      assert.ok(!text.includes('np m'))
    assert.ok(!(await desk.np('t', 'u', '-i', one!, '-s', 'done')).includes('np m'))
  })
})

describe('a plan of more than 100 tasks', () => {
  /** 150 tasks: 20 completed, 20 failed, 100 completed, then 5 pending and 5 in progress. */
  beforeEach(async () => {
    const titles = Array.from({ length: 150 }, (_, at) => ['-t', `T${at}`]).flat()
    await desk.begin()
    const { tasks } = await desk.plan('t', 'a', ...titles, '--all')
    const ids = tasks.map(({ id }) => id)
    const set = (from: number, to: number, status: string) =>
      desk.np(
        ...['t', 'u', '--quiet', '-s', status, '-r', 'x'],
        ...ids.slice(from, to).flatMap((id) => ['-i', id]),
      )
    await set(0, 20, 'completed')
    await set(20, 40, 'failed')
    await set(40, 140, 'completed')
    await set(145, 150, 'in_progress')
  })

  const shownBy = (text: string) => [...text.matchAll(/ {2}T(\d+)$/gm)].map(([, at]) => Number(at))

  test('shows those in progress, pending, and the newest of the rest, in order', async () => {
    const { stdout, stderr } = await desk.run(['p'])
    assert.deepEqual(
      shownBy(stdout),
      Array.from({ length: 100 }, (_, at) => 50 + at),
    )
    assert.match(
      stdout,
      /\n100 of 150 tasks; left out: 30 completed, 20 failed\. --all shows all\.\n/,
    )
    assert.equal(stderr, '100 of 150\n')
  })

  test('what is left out is counted also in --json', async () => {
    const { stdout } = await desk.run(['p', '--json'])
    const { data, total, shown } = JSON.parse(stdout)
    assert.deepEqual([data.tasks.length, total, shown], [100, 150, 100])
  })

  test('--all prints all, --limit so many', async () => {
    assert.equal(shownBy(await desk.np('p', '--all')).length, 150)
    const { stdout, stderr } = await desk.run(['p', '--limit', '7'])
    assert.deepEqual(shownBy(stdout), [140, 141, 145, 146, 147, 148, 149])
    assert.equal(stderr, '7 of 150\n')
  })

  test('a change prints the same, or all of it', async () => {
    const { stdout } = await desk.run(['g', 'u', '-t', 'New', '-r', 'x'])
    assert.equal(shownBy(stdout).length, 100)
    assert.equal(shownBy(await desk.np('g', 'u', '-t', 'Newer', '-r', 'x', '--all')).length, 150)
  })
})
