import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, test } from 'vitest'
import { Plans } from '../../../src/plan/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { measured } from '../../rounds.ts'
import { cleanUp, Desk, newDirectory } from './desk.ts'

cleanUp()

const bin = join(process.cwd(), 'bin/np')
const told = { cmd: 'np test' }

interface Place {
  readonly desk: Desk
  readonly ids: readonly string[]
}

/** A session of so many tasks and, at least, so many events. */
async function prepared(taskCount: number, eventCount: number): Promise<Place> {
  const directory = newDirectory()
  const url = `sqlite:${join(newDirectory(), 'plans.db')}`
  await using store = await openStore(url)
  const plans = new Plans(store)
  const { sid } = (await plans.start(directory)).session
  await plans.setGoal(sid, { title: 'Ship', description: 'All of it' }, told)
  const titles = Array.from({ length: taskCount }, (_, at) => ({
    title: `Task number ${at}`,
    description: `What there is to do about number ${at}, and how to tell that it is done`,
  }))
  for (let at = 0; at < taskCount; at += 300)
    await plans.addTasks(sid, titles.slice(at, at + 300), told)
  const ids = (await plans.plan(sid)).tasks.map(({ id }) => id)
  for (let count = 1 + taskCount, round = 0; count < eventCount; round++)
    for (let at = 0; at < taskCount && count < eventCount; at += 200) {
      const batch = ids.slice(at, at + 200).map((id) => ({ id, status: statusIn(round) }))
      count += (await plans.updateTasks(sid, batch, told)).length
    }
  return { desk: new Desk(url, directory), ids }
}

const statusIn = (round: number): string => (round % 2 === 0 ? 'doing' : 'done')

/** Milliseconds that a command takes as a process of its own. */
function timed({ desk }: Place, args: readonly string[]): number {
  const start = performance.now()
  const { status, stderr } = spawnSync(bin, args, {
    cwd: desk.directory,
    env: { PATH: process.env['PATH'], HOME: desk.directory, HOLDFAST_STORE: desk.url },
    encoding: 'utf8',
  })
  const took = performance.now() - start
  assert.equal(status, 0, stderr)
  return took
}

describe('a session of 5,000 tasks and 20,000 events', () => {
  let small: Place
  let large: Place
  beforeAll(async () => {
    small = await prepared(50, 200)
    large = await prepared(5_000, 20_000)
  }, 300_000)

  /** In turns, so that whatever else the machine does troubles both alike. */
  async function compare(argsOf: (place: Place, run: number) => string[]): Promise<void> {
    const [timesOf50, timesOf5000]: [number[], number[]] = [[], []]
    await measured(
      (round) => {
        for (const run of [2 * round, 2 * round + 1]) {
          timesOf50.push(timed(small, argsOf(small, run)))
          timesOf5000.push(timed(large, argsOf(large, run)))
        }
        return { with50: Math.min(...timesOf50), with5000: Math.min(...timesOf5000) }
      },
      ({ with50, with5000 }) => with5000 <= with50 * 3,
    )
  }

  test('np p takes at most 3 times as long as with 50 tasks', async () => {
    await compare(() => ['p'])
  })

  test('np t u takes at most 3 times as long as with 50 tasks', async () => {
    await compare(({ ids }, run) => ['t', 'u', '-i', ids[run]!, '-s', 'pending'])
  })

  test('np r takes at most 3 times as long, and says no more than 4,000 characters', async () => {
    await compare(() => ['r'])
    const text = await large.desk.np('r')
    assert.ok(text.length <= 4_000, `${text.length}`)
    assert.ok(text.length > 3_000, `${text.length}`)
    assert.match(text, /Left out: tasks: .* \(np p --all\); \d+ older events \(np e --all\)\./)
  })

  test('np p prints 100 of them and says so; --all prints all', async () => {
    const { stdout, stderr } = await large.desk.run(['p'])
    assert.equal(stdout.match(/^[☐⟳☑] [0-9a-f]{6,} {2}Task/gm)?.length, 100)
    assert.match(stdout, /\n100 of 5000 tasks; left out: /)
    assert.equal(stderr, '100 of 5000\n')
    const all = await large.desk.np('p', '--all')
    assert.equal(all.match(/^[☐⟳☑] [0-9a-f]{6,} {2}Task/gm)?.length, 5_000)
  })

  test('np e shows the newest 50 in order', async () => {
    const { stdout, stderr } = await large.desk.run(['e', '--json'])
    const { data, total, shown } = JSON.parse(stdout)
    assert.deepEqual([stderr, shown], [`50 of ${total}\n`, 50])
    assert.deepEqual(
      data.map(({ seq }: { seq: number }) => seq),
      Array.from({ length: 50 }, (_, at) => total - 49 + at),
    )
  })
})
