import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import { kinds } from './kinds.ts'
import { models } from './models/index.ts'

const run = promisify(execFile)
const program = new URL('../../.tools/test/sim/main.js', import.meta.url).pathname

/** What the simulator prints; fails where it finds a violation. */
async function simulated(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [program, ...args], { maxBuffer: 2 ** 28 })
  return stdout
}

const seeds = 60

describe('a fixed set of seeds has no violation', () => {
  for (const model of models.keys())
    test(model, async () => {
      const said = await simulated('--model', model, '--seed', '1', '--seeds', String(seeds))
      assert.match(said, new RegExp(`^${seeds * kinds.size} seeds, 0 violations\\n$`, 'm'))
    }, 120_000)
})

describe('a seed decides everything', () => {
  const [seed, count] = [70, 5]

  for (const [model] of models)
    for (const kind of ['sqlite', 's3'])
      test(`${model} on ${kind}: alone as after others`, async () => {
        const options = ['--model', model, '--store', kind, '-v']
        const eventsOf = async (first: number, many: number) => {
          const said = await simulated(...options, '--seed', `${first}`, '--seeds', `${many}`)
          return [...said.matchAll(/^.*, seed (\d+): (\d+) events$/gm)].map(([line]) => line)
        }
        const all = await eventsOf(seed, count)
        assert.equal(all.length, count)
        for (const [at, line] of all.entries())
          assert.deepEqual(await eventsOf(seed + at, 1), [line])
      }, 120_000)
})
