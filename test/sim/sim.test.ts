import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import { kinds } from './kinds.ts'
import { models } from './models/index.ts'
import { seededBugs } from './seeded-bugs.ts'

const run = promisify(execFile)
const program = new URL('../../.tools/test/sim/main.js', import.meta.url).pathname

/** What the simulator prints; fails where it finds a violation. */
async function simulated(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [program, ...args], { maxBuffer: 2 ** 28 })
  return stdout
}

/** On each kind of store: as many as take about 20 seconds of one core. */
const seedsOf: Readonly<Record<string, number>> = {
  jobs: 260,
  queue: 160,
  tree: 210,
  list: 300,
  plan: 380,
  http: 180,
}

describe('a fixed set of seeds has no violation', () => {
  test('of every model', () => {
    assert.deepEqual(Object.keys(seedsOf).sort(), [...models.keys()].sort())
  })

  for (const [model, seeds] of Object.entries(seedsOf))
    test(model, async () => {
      const said = await simulated('--model', model, '--seed', '1', '--seeds', String(seeds))
      assert.match(said, new RegExp(`^${seeds * kinds.size} seeds, 0 violations\\n$`, 'm'))
    }, 240_000)
})

describe('a seed decides everything', () => {
  const [seed, count] = [70, 4]

  for (const [model] of models)
    for (const kind of ['sqlite', 's3'])
      test(`${model} on ${kind}: alone as after others`, async () => {
        const options = ['--model', model, '--store', kind, '-v', '--jobs', '1']
        const eventsOf = async (first: number, many: number) => {
          const said = await simulated(...options, '--seed', `${first}`, '--seeds', `${many}`)
          return [...said.matchAll(/^.*, seed (\d+): (\d+) events$/gm)].map(([line]) => line)
        }
        const all = await eventsOf(seed, count)
        assert.equal(all.length, count)
        assert.deepEqual(await eventsOf(seed + count - 1, 1), all.slice(-1))
      }, 120_000)

  test('on several processes as on one, in the same order', async () => {
    const options = ['--model', 'jobs', '--seed', '5', '--seeds', '10', '-v']
    const [one, two] = await Promise.all(
      ['1', '2'].map(async (jobs) => {
        const said = await simulated(...options, '--jobs', jobs)
        return said.split('\n').filter((line) => line.endsWith(' events'))
      }),
    )
    assert.equal(one?.length, 10 * kinds.size)
    assert.deepEqual(two, one)
  }, 120_000)
})

describe('the simulator can fail', () => {
  test('every seeded bug fits the sources as they are', async () => {
    for (const { file } of seededBugs()) await run('git', ['apply', '--check', file])
  })

  test('a seeded bug is found, in few steps', async () => {
    const said = await simulated('--bugs', 'jobs-attempts-unlimited')
    assert.match(said, /^\| jobs-attempts-unlimited: .* \| jobs \| \d+ \| [1-9] \|$/m)
    assert.match(said, /^1 bugs, 0 not found$/m)
  }, 240_000)

  for (const [args, said] of [
    [
      ['--model', 'nothing'],
      /^There is no model nothing, only jobs, .*See npm run sim -- --help\.$/m,
    ],
    [['--budgets', '--model', 'nothing'], /^There is no model with budgets nothing, only /],
    [['--bugs', 'nothing'], /^There is no bug nothing, only /],
    [['--seeds', '0'], /^--seeds needs a whole number from 1 on, not 0\./],
    [['--minutes', '0'], /^--minutes needs a number above 0, not 0\./],
    [['--seed'], /^Option '--seed <value>' argument missing\./],
  ] as const)
    test(`it ends with 2, not with 1 or 0, for ${args.join(' ')}`, async () => {
      const failure = await simulated(...args).catch((error: unknown) => error)
      const { code, stderr } = failure as { code: number; stderr: string }
      assert.equal(code, 2)
      assert.match(stderr, said)
    })
})

test('it names the seeds that it draws', async () => {
  const said = await simulated('--model', 'jobs', '--store', 'sqlite', '--seeds', '2')
  assert.match(
    said,
    /^Seeds from \d+, \d+ runs a second of processor time\.\n2 seeds, 0 violations\n$/,
  )
})
