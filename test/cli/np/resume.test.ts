import assert from 'node:assert/strict'
import fc from 'fast-check'
import { beforeEach, describe, test } from 'vitest'
import { cleanUp, type Desk, lastLine, memoryDesk } from './desk.ts'

cleanUp()
let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

const charactersMax = 4_000

/** Of all that np r says, a plan of any size. */
async function assertShort(): Promise<{ text: string; json: string }> {
  const text = await desk.np('r')
  const json = await desk.np('r', '--json')
  assert.ok(text.length <= charactersMax, `${text.length} characters`)
  assert.ok(json.length <= charactersMax, `${json.length} characters of JSON`)
  return { text, json }
}

describe('np r', () => {
  test('shows the plan, recent events and the next step', async () => {
    const [one] = await desk.begin('One')
    const lines = await desk.lines('r')
    const plan = await desk.lines('p')
    assert.deepEqual(lines.slice(0, plan.length - 2), plan.slice(0, -2))
    const at = lines.indexOf('Recent events:')
    assert.match(lines[at + 1]!, /^1 {2}.* {2}goal_set {2}Ship$/)
    assert.match(lines[at + 2]!, /^2 {2}.* {2}task_added {2}\w{6} One$/)
    assert.equal(lines.at(-1), `Next: np t u -i ${one} -s in_progress`)
  })

  test('a plan that fits is whole', async () => {
    await desk.begin(...Array.from({ length: 20 }, (_, at) => `Task ${at}`))
    const { text, json } = await assertShort()
    assert.ok(!text.includes('Left out: tasks') && !text.includes('…'))
    assert.equal(text.match(/^☐ \w{6} /gm)?.length, 20)
    const { kind, data } = JSON.parse(json)
    assert.equal(kind, 'plan')
    assert.deepEqual(Object.keys(data), ['session', 'goal', 'tasks', 'events', 'left_out', 'next'])
  })

  test('says what it leaves out, and where that is', async () => {
    const titles = Array.from({ length: 150 }, (_, at) => ['-t', `Task ${at} ${'x'.repeat(50)}`])
    await desk.begin()
    await desk.np('t', 'a', ...titles.flat(), '--quiet')
    const { text, json } = await assertShort()
    assert.match(
      text,
      /\nLeft out: tasks: \d+ pending \(np p --all\); \d+ older events \(np e --all\)\.\n/,
    )
    assert.ok(text.length > charactersMax * 0.8, `only ${text.length} characters`)
    assert.match(JSON.parse(json).data.left_out, /^Left out: tasks: \d+ pending/)
    const { sid } = (await desk.plan('r')).session
    assert.ok((await desk.np('r', sid)).includes(`np p ${sid} --all`))
  })

  test('a long description is cut, and that is said; the goal is kept longest', async () => {
    await desk.start()
    await desk.np('g', 's', '-t', 'G'.repeat(500), '-d', `${'goal '.repeat(13_000)}`)
    await desk.np('t', 'a', '-t', 'T'.repeat(500), '-d', 'task '.repeat(13_000), '--quiet')
    const { text } = await assertShort()
    assert.match(text, /Left out: parts of long texts \(np p --all\)/)
    assert.match(text, /Goal: G+…?\n {2}goal (goal ){100}/)
    assert.match(lastLine(text), /^Next: np t u /)
  })

  test('tasks that wait keep their description longer than those that are done', async () => {
    const titles = Array.from({ length: 30 }, (_, at) => [
      '-t',
      `T${at}`,
      '-d',
      `d${at} `.repeat(30),
    ])
    await desk.begin()
    const { tasks } = await desk.plan('t', 'a', ...titles.flat())
    const done = tasks.slice(0, 20).flatMap(({ id }) => ['-i', id])
    await desk.np('t', 'u', ...done, '-s', 'done', '--quiet')
    const { text } = await assertShort()
    assert.ok(text.includes('    d25 d25') && !text.includes('    d5 d5'))
  })

  test('of an archived session has no next step', async () => {
    await desk.begin('One')
    const { sid } = (await desk.plan('p')).session
    await desk.np('a')
    assert.ok(!(await desk.np('r', sid)).includes('Next'))
  })

  test('is never longer, whatever the texts', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 400 })
    // A lone dash stands for stdin.
    const title = text.filter((each) => !['', '-'].includes(each.trim()) && !/\p{Cc}/u.test(each))
    const description = fc
      .array(fc.oneof(title, fc.constant('')), { maxLength: 30 })
      .map((lines) => lines.join('\n'))
    const tasks = fc.array(fc.tuple(title, description), { minLength: 1, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(title, description, tasks, async (goal, about, all) => {
        desk = memoryDesk()
        await desk.start()
        assert.equal((await desk.run(['g', 's', '-t', goal, '-d', about, '--quiet'])).exit, 0)
        const pairs = all.flatMap(([each, more]) => ['-t', each, '-d', more])
        assert.equal((await desk.run(['t', 'a', ...pairs, '--quiet'])).exit, 0)
        await assertShort()
      }),
      { numRuns: 30 },
    )
  })
})
