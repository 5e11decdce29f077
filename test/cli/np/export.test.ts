import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { cleanUp, type Desk, memoryDesk } from './desk.ts'

cleanUp()
let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

const masked = (text: string): string =>
  text.replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME').replaceAll(desk.directory, 'DIR')

describe('np x', () => {
  test('exports plan and log as Markdown', async () => {
    const [one, two] = await desk.begin('One', 'Two')
    await desk.np('g', 'u', '-d', 'first\nsecond\n\nthird', '-r', 'asked for')
    await desk.np('t', 'u', '-i', one!, '-s', 'failed', '-d', 'x', '-r', 'no fixture')
    const { sid } = (await desk.plan('p')).session
    assert.equal(
      masked(await desk.np('x')),
      `# Ship

first\\
second

third

- Session: ${sid}, active
- Directory: DIR
- Started: TIME
- Last change: TIME

## Tasks

- ☒ One (${one}, failed)

  x
- ☐ Two (${two}, pending)

## Log

- 1, TIME: goal set: Ship
- 2, TIME: task added: ${one} One
- 3, TIME: task added: ${two} Two
- 4, TIME: goal updated: Ship (description)

  Reason: asked for
- 5, TIME: task updated: ${one} One (description)

  Reason: no fixture
- 6, TIME: task status changed: ${one} pending → failed: One

  Reason: no fixture
`,
    )
  })

  test('a former description stands in the log', async () => {
    await desk.begin()
    await desk.np('g', 'u', '-d', 'old', '-r', 'a')
    await desk.np('g', 'u', '-d', 'new', '-r', 'b')
    assert.match(await desk.np('x'), /\n {2}Reason: b\n\n {2}Description before: old\n/)
  })

  const escapes: readonly [string, string][] = [
    ['# no heading', '\\# no heading'],
    ['no heading #', 'no heading \\#'],
    ['*no* **emphasis**', '\\*no\\* \\*\\*emphasis\\*\\*'],
    ['_no_ snake_case', '\\_no\\_ snake_case'],
    ['`no` [link](x) <b>', '\\`no\\` \\[link\\](x) \\<b\\>'],
    ['> - quote', '\\> - quote'],
    ['- item', '\\- item'],
    ['+ item', '\\+ item'],
    ['1. item', '1\\. item'],
    ['12) item', '12\\) item'],
    ['| a | b |', '\\| a | b |'],
    ['===', '\\==='],
    ['---', '\\---'],
    ['~~~', '\\~\\~\\~'],
    ['&lt; & co', '&amp;lt; & co'],
    ['back\\slash', 'back\\\\slash'],
  ]
  for (const [given, shown] of escapes)
    test(`shows ${JSON.stringify(given)} as it is`, async () => {
      await desk.start()
      await desk.np('g', 's', '-t', given, '-d', `.\n\n${given}`)
      const text = await desk.np('x')
      assert.ok(text.startsWith(`# ${shown}\n\n.\n\n${shown}\n\n- Session`), text)
    })

  test('white space at the start of a line does not become code', async () => {
    await desk.start()
    await desk.np('g', 's', '-t', 'Ship', '-d', '.\n\n    code\n\n\ttab')
    assert.match(await desk.np('x'), /\n(&nbsp;){4}code\n\n(&nbsp;){4}tab\n/)
  })

  test('without goal, tasks and events says so', async () => {
    await desk.start()
    assert.match(
      await desk.np('x'),
      /^# No goal set yet\n\n[\s\S]*## Tasks\n\nNone yet\.\n\n## Log\n\nNothing happened yet\.\n$/,
    )
  })

  test('--json has all of it: plan and events', async () => {
    await desk.begin('One')
    const { kind, data } = await desk.json('x')
    assert.equal(kind, 'plan')
    assert.deepEqual(Object.keys(data), ['session', 'goal', 'tasks', 'events'])
    assert.deepEqual(data.events, await desk.events())
  })

  test('is never cut', async () => {
    const titles = Array.from({ length: 150 }, (_, at) => ['-t', `T${at}`]).flat()
    await desk.begin()
    await desk.np('t', 'a', ...titles, '--quiet')
    assert.equal((await desk.np('x')).match(/^- ☐ T/gm)?.length, 150)
    assert.equal((await desk.np('x')).match(/: task added: /g)?.length, 150)
  })
})
