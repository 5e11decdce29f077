import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, test } from 'vitest'
import { np } from '../../../src/cli/np.ts'
import { run } from '../terminal.ts'
import { cleanUp, memoryDesk, newDirectory } from './desk.ts'

cleanUp()

const charactersMax = 4_000
const titles = (count: number, length: number) =>
  Array.from({ length: count }, (_, at) => `${at} ${'long '.repeat(length)}`.trim())

describe('np prime', () => {
  test('shows goal, open tasks, what is ready in order, and the rules', async () => {
    const desk = memoryDesk()
    const [one, two, three] = await desk.begin('One', 'Two', 'Three')
    await desk.np('t', 'u', '-i', one as string, '-s', 'completed')
    await desk.np('t', 'u', '-i', two as string, '-s', 'in_progress')
    await desk.np('t', 'a', '-t', 'Four')
    const text = await desk.np('prime')
    assert.match(text, /^Goal: Ship$/m)
    assert.match(text, new RegExp(`^⟳ ${two} {2}Two$`, 'm'))
    assert.match(text, new RegExp(`^Ready, in this order: ${three}, [0-9a-f]{6}$`, 'm'))
    assert.match(text, /^Settled: 1 completed\.$/m)
    assert.ok(!text.includes('  One\n'))
    assert.match(text, /^Rules of working with np:$/m)
    assert.match(text, /np t u -i ID -s completed/)
  })

  test('with --json is one envelope', async () => {
    const desk = memoryDesk()
    const [one] = await desk.begin('One')
    const { kind, data } = await desk.json('prime')
    assert.equal(kind, 'prime')
    assert.deepEqual(data.ready, [one])
    assert.equal(data.plan.goal.title, 'Ship')
    assert.ok(data.rules.length > 5)
  })

  for (const [name, list] of [
    ['300 tasks', titles(300, 1)],
    ['long titles', titles(40, 90)],
    ['one task', ['One']],
  ] as const)
    test(`has fewer than ${charactersMax} characters with ${name}`, async () => {
      const desk = memoryDesk()
      await desk.start()
      await desk.np('g', 's', '-t', 'Ship', '-d', 'words '.repeat(2_000))
      await desk.np('t', 'a', '--quiet', ...list.flatMap((title) => ['-t', title]))
      for (const args of [['prime'], ['prime', '--json']]) {
        const text = await desk.np(...args)
        assert.ok(text.length < charactersMax, `${args}: ${text.length}`)
      }
    })

  test('has the rules, and exit 0, where no session is active', async () => {
    const desk = memoryDesk()
    await desk.in('elsewhere').start()
    const text = await desk.np('prime')
    assert.match(text, /^No session is active in this directory\. Start one with: np s$/m)
    assert.match(text, /^- No session yet\?/m)
    assert.deepEqual((await desk.json('prime')).data.plan, null)
  })

  test('the same where there is no store yet, and makes none', async () => {
    const directory = newDirectory()
    const { exit, stdout } = await run(np, ['prime'], { cwd: directory, env: { HOME: directory } })
    assert.equal(exit, 0)
    assert.match(stdout, /Start one with: np s/)
    assert.deepEqual(readdirSync(directory), [])
  })

  test('is exit 4 for a store that was named and is not there', async () => {
    const directory = newDirectory()
    const { exit } = await run(np, ['prime', '--store', 'sqlite:no.db'], { cwd: directory })
    assert.equal(exit, 4)
  })
})
