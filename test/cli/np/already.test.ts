import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { cleanUp, type Desk, memoryDesk } from './desk.ts'

cleanUp()
let desk: Desk
beforeEach(async () => {
  desk = memoryDesk()
  await desk.begin()
})

/** Adds tasks that each have a long description, and answers with their ids. */
async function addMany(count: number, description: string): Promise<string[]> {
  const all = Array.from({ length: count }, (_, at) => ['-t', `T${at}`, '-d', description])
  const { data } = await desk.json('t', 'a', ...all.flat())
  return data.changed
}

describe('what was so already', () => {
  test('a cancelled task that is added again is named, with how to resume it', async () => {
    const [one] = await addMany(1, 'x')
    await desk.np('t', 'u', '-i', one!, '-s', 'cancelled', '-r', 'not wanted')
    const { exit, stderr } = await desk.run(['t', 'a', '-t', 't0', '-d', 'X'])
    assert.deepEqual(
      [exit, stderr],
      [
        0,
        `np: Nothing changed: task ${one} is already in the plan, but cancelled. Resume it: np t u -i ${one} -s pending\n`,
      ],
    )
    const batch = await desk.run(['t', 'a', '-t', 'T0', '-d', 'x', '-t', 'New', '-d', ''])
    assert.equal(
      batch.stderr,
      `np: Already there: 1 of 2 tasks: ${one} (cancelled). Resume it: np t u -i ${one} -s pending\n`,
    )
    await desk.np('t', 'u', '-i', one!, '-s', 'pending')
  })

  test('the tasks of a batch to which nothing happened are named', async () => {
    const [one, two, three] = await addMany(3, 'x')
    await desk.np('t', 'u', '-i', one!, '-i', two!, '-s', 'done')
    const batch = ['-i', one!, '-i', three!, '-i', two!.toUpperCase(), '-s', 'done']
    const { exit, stderr } = await desk.run(['t', 'u', ...batch])
    assert.deepEqual(
      [exit, stderr],
      [0, `np: Already so: ${one} (completed), ${two} (completed).\n`],
    )
  })

  test('the part of a change that does nothing is named', async () => {
    const [one] = await addMany(1, 'x')
    const both = (title: string, status: string) =>
      desk.run(['t', 'u', '-i', one!, '-t', title, '-s', status, '-r', 'why'])
    assert.equal((await both('T0', 'doing')).stderr, `np: Already so: ${one} (same words).\n`)
    assert.equal((await both('New', 'doing')).stderr, `np: Already so: ${one} (in_progress).\n`)
    assert.equal(
      (await both('New', 'doing')).stderr,
      `np: Nothing changed. Already so: ${one} (same words, in_progress).\n`,
    )
  })

  test('many are counted', async () => {
    const ids = await addMany(30, 'x')
    const all = ids.flatMap((id) => ['-i', id])
    const { stderr } = await desk.run(['t', 'u', ...all, '-s', 'pending'])
    assert.match(
      stderr,
      /^np: Nothing changed\. Already so: (\w+ \(pending\), ){20}and 10 more\.\n/,
    )
  })

  /** What is done twice; the first time it changes something. */
  const changes: readonly [string[], RegExp][] = [
    [['g', 'u', '-t', 'Sail', '-r', 'why'], /^goal$/],
    [['t', 'a', '-t', 'One', '-t', 'Two'], /^\w{6},\w{6}$/],
    [['t', 'u', '-i', 'ID', '-s', 'done'], /^ID$/],
    [['t', 'u', '-i', 'ID', '-t', 'Z', '-d', 'z', '-r', 'why'], /^ID$/],
    [['a', 'SID'], /^SID$/],
  ]
  for (const [args, changed] of changes)
    test(`"np ${args.join(' ')}" --json lists nothing when nothing changed`, async () => {
      const [id] = await addMany(1, 'x')
      const { sid } = (await desk.plan('p')).session
      const line = args.map((word) => word.replace(/^ID$/, id!).replace(/^SID$/, sid))
      const list = async () =>
        JSON.parse((await desk.run([...line, '--json'])).stdout).data.changed.join()
      assert.match((await list()).replace(id!, 'ID').replace(sid, 'SID'), changed)
      assert.equal(await list(), '')
    })

  test('np s lists its session once', async () => {
    const other = memoryDesk()
    const { data } = await other.json('s')
    assert.deepEqual(data.changed, [data.sid])
    assert.deepEqual(JSON.parse((await other.run(['s', '--json'])).stdout).data.changed, [])
  })

  test('the tasks that stayed are listed as unchanged', async () => {
    const [one] = await addMany(1, 'x')
    const { stdout } = await desk.run([
      't',
      'a',
      '-t',
      'New',
      '-t',
      'T0',
      '-d',
      '',
      '-d',
      'x',
      '--json',
    ])
    const { changed, unchanged } = JSON.parse(stdout).data
    assert.deepEqual([changed.length, unchanged], [1, [one]])
  })
})
