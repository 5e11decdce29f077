import assert from 'node:assert/strict'
import fc from 'fast-check'
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

- Description:

  first
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
    assert.match(await desk.np('x'), /\n {2}Reason: b\n\n {2}Description before:\n\n {2}old\n/)
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
      await desk.np('g', 's', '-t', given, '-d', 'x')
      await desk.np('t', 'a', '-t', given)
      const text = await desk.np('x')
      assert.ok(text.startsWith(`# ${shown}\n\n- Description:\n`), text)
      assert.ok(text.includes(`\n- ☐ ${shown} (`), text)
    })

  /** What agents write, and what could end a list, a heading or a document. */
  const markdown = [
    ...[
      '# Heading',
      '## Tasks',
      '- item',
      '  - nested',
      '1. one',
      '> quote',
      '```js',
      '```',
      '~~~',
    ],
    ...['| a | b |', '|---|---|', '---', '===', '    code', '\ttab', '`code` **bold** [a](b)'],
    ...[
      '<!-- comment',
      '</details>',
      '[x]: http://a',
      'two spaces at the end  ',
      '\\',
      '',
      '',
      'é 一',
    ],
  ]

  /** The lines that stand at the left edge: what the document is made of. */
  const outline = (text: string) => text.split('\n').filter((line) => /^\S/.test(line))

  /** What stands indented below a line. */
  function below(text: string, head: RegExp): string {
    const [, after = ''] = text.split(head)
    const lines = after.split('\n').slice(1)
    const end = lines.findIndex((line) => /^\S/.test(line))
    return lines
      .slice(0, end)
      .map((line) => line.replace(/^ {2}/, ''))
      .join('\n')
      .replace(/^\n|\n+$/g, '')
  }

  test('descriptions stay as they are, and whatever they say the document keeps its outline', async () => {
    const lines = fc.array(fc.constantFrom(...markdown), { minLength: 1, maxLength: 12 })
    const text = lines.map((all) => all.join('\n').trim()).filter((all) => !['', '-'].includes(all))
    await fc.assert(
      fc.asyncProperty(text, text, text, async (goal, task, former) => {
        desk = memoryDesk()
        await desk.start()
        await desk.np('g', 's', '-t', 'Ship', '-d', 'x')
        await desk.np('t', 'a', '-t', 'One', '-d', former)
        const before = await desk.np('x')
        await desk.np('g', 'u', '-d', goal, '-r', 'why')
        await desk.run([
          't',
          'u',
          '-i',
          (await desk.plan('p')).tasks[0]!.id,
          '-d',
          task,
          '-r',
          'why',
        ])
        const after = await desk.np('x')
        assert.equal(below(after, /^- Description:$/m), goal)
        assert.equal(below(after, /^- ☐ One .*$/m), task)
        const updates = outline(after).filter((line) => !outline(before).includes(line))
        assert.ok(
          updates.every((line) => /^- (Last change|\d, .*: (goal|task) updated)/.test(line)),
        )
        assert.ok(task === former || after.includes('  Description before:\n\n'))
      }),
      { numRuns: 30 },
    )
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
