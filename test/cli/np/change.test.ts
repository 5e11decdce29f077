import assert from 'node:assert/strict'
import fc from 'fast-check'
import { beforeEach, describe, test } from 'vitest'
import { cleanUp, type Desk, lastLine, memoryDesk } from './desk.ts'

cleanUp()
let desk: Desk
beforeEach(async () => {
  desk = memoryDesk()
  await desk.begin()
})

const charactersMax = 4_000

/** Adds tasks that each have a long description, and answers with their ids. */
async function addMany(count: number, description: string): Promise<string[]> {
  const all = Array.from({ length: count }, (_, at) => ['-t', `T${at}`, '-d', description])
  const { data } = await desk.json('t', 'a', ...all.flat())
  return data.changed
}

/** The ids in the rows of tasks, in their order. */
const rows = (text: string): string[] =>
  [...text.matchAll(/^[☐⟳☑☒⊗] ([0-9a-f]{6,64}) {2}/gm)].map((row) => row[1]!)

describe('a change', () => {
  test('prints the tasks it touched, then the plan, then the next step', async () => {
    const [one] = await addMany(1, 'first')
    const text = await desk.np('t', 'a', '-t', 'Two', '-d', 'second')
    const two = (await desk.plan('p')).tasks[1]?.id
    const { session } = await desk.plan('p')
    assert.deepEqual(text.split('\n'), [
      'Added:',
      `☐ ${two}  Two`,
      '    second',
      '',
      `Session ${session.sid} in ${desk.directory}`,
      'Goal: Ship',
      '',
      '☐ pending  ⟳ in progress  ☑ completed',
      `☐ ${one}  T0`,
      '    first',
      `☐ ${two}  Two`,
      '    second',
      '',
      `Next: np t u -i ${one} -s in_progress`,
      '',
    ])
  })

  for (const count of [101, 150, 300])
    test(`in a plan of ${count} tasks shows the new task first, and its id in --json`, async () => {
      const ids = await addMany(count, '')
      await desk.np(
        't',
        'u',
        '--quiet',
        ...ids.slice(0, 150).flatMap((id) => ['-i', id]),
        '-s',
        'done',
      )
      const { stdout, exit } = await desk.run(['t', 'a', '-t', 'New', '-d', 'the new one'])
      const { tasks } = await desk.plan('p', '--all')
      const added = tasks.at(-1)!
      assert.deepEqual([exit, added.title, rows(stdout)[0]], [0, 'New', added.id])
      assert.ok(stdout.length <= charactersMax, `${stdout.length}`)
      assert.match(
        stdout,
        new RegExp(`\n\\d+ of ${count + 1} tasks; not shown: .*See all: np p --all\n`),
      )
      const { data, kind, total, shown } = await desk.json('t', 'u', '-i', ids[0]!, '-s', 'todo')
      assert.deepEqual([kind, total, shown], ['plan', count + 1, count + 1])
      assert.deepEqual([data.changed, data.tasks.length], [[ids[0]], count + 1])
    })

  test('lists the ids that changed in the order given', async () => {
    const [a, b, c] = await addMany(3, 'x')
    const { data } = await desk.json('t', 'u', '-i', c!, '-i', a!, '-i', b!, '-s', 'doing')
    assert.deepEqual(data.changed, [c, a, b])
    const text = await desk.np('t', 'u', '-i', b!, '-i', a!, '-s', 'done')
    assert.deepEqual(rows(text).slice(0, 2), [b, a])
  })

  test('of 40 tasks with 3 KB each prints 4,000 characters at most, the touched task whole', async () => {
    const description = 'word '.repeat(614).trim()
    const ids = await addMany(40, description)
    const { stdout, stderr } = await desk.run(['t', 'u', '-i', ids[20]!, '-s', 'doing'])
    assert.ok(stdout.length <= charactersMax, `${stdout.length}`)
    assert.ok(stdout.startsWith(`Updated:\n⟳ ${ids[20]}  T20\n    ${description}\n`))
    assert.match(stdout, /\n40 of 40 tasks; long texts are cut\. See all: np p --all\n/)
    assert.deepEqual([rows(stdout).length, stderr], [40, ''])
    assert.equal(lastLine(stdout), `Next: np t u -i ${ids[20]} -s completed`)
  })

  const fills = (text: string) => {
    assert.ok(text.length <= charactersMax, `${text.length}`)
    assert.ok(text.length > charactersMax - 100, `only ${text.length}`)
  }

  for (const word of ['word ', 'one\ntwo\n', '一二三', 'e\u0301', '👩‍👩‍👧'])
    test(`fills its 4,000 characters with as much as fits of ${JSON.stringify(word)}`, async () => {
      const [long] = await addMany(1, word.repeat(2_000).trim())
      const { data } = await desk.json('t', 'a', '-t', 'Short', '-d', 'not much')
      // The long description is in the plan, is what was touched, and is that of a task that is over.
      fills(await desk.np('t', 'u', '-i', data.changed[0], '-s', 'doing'))
      fills(await desk.np('t', 'u', '-i', long!, '-s', 'doing'))
      await desk.np('t', 'u', '-i', long!, '-s', 'done')
      const text = await desk.np('t', 'u', '-i', data.changed[0], '-s', 'done')
      fills(text)
      // No character is cut in two.
      const rest = text.replaceAll(/^.*[:☑].*$|^ {4}|\s/gmu, '')
      assert.doesNotMatch(rest, /[\ud800-\udbff](?![\udc00-\udfff])|\u200d…|e…/u)
    })

  test('of a description of 1 MB, which another tool may store, prints no more than of others', async () => {
    const [one, two] = await addMany(2, 'x')
    const { sid } = (await desk.plan('p')).session
    for (const description of ['x'.repeat(999_000), 'a\n'.repeat(330_000)]) {
      await desk.overwriteKey(`np/s/${sid}/task/${one}`, (value) =>
        Buffer.from(JSON.stringify({ ...JSON.parse(String(Buffer.from(value))), description })),
      )
      for (const id of [one!, two!]) {
        fills((await desk.run(['t', 'u', '-i', id, '-s', 'doing'])).stdout)
        await desk.run(['t', 'u', '-i', id, '-s', 'todo', '--quiet'])
      }
      assert.ok((await desk.np('r')).length <= charactersMax)
    }
  })

  test('np p, --all and --json stay whole', async () => {
    const description = 'word '.repeat(600).trim()
    const [one] = await addMany(40, description)
    const whole = (text: string) => text.split(description).length - 1
    assert.equal(whole(await desk.np('p')), 40)
    assert.ok(whole(await desk.np('t', 'u', '-i', one!, '-s', 'doing', '--all')) >= 40)
    const { data } = await desk.json('t', 'u', '-i', one!, '-s', 'done')
    assert.ok(data.tasks.every((task: { description: string }) => task.description === description))
  })

  test('describes what it touched only once where the plan has no room for that', async () => {
    const ids = await addMany(8, 'word '.repeat(70).trim())
    const text = await desk.np('t', 'u', '-i', ids[2]!, '-i', ids[4]!, '-i', ids[6]!, '-s', 'doing')
    assert.equal(text.match(/^ {4}word/gm)?.length, 8)
    assert.deepEqual(rows(text), [ids[2], ids[4], ids[6], ...ids])
  })

  test('says how many tasks it shows, on stderr as well', async () => {
    const titles = Array.from({ length: 90 }, (_, at) => ['-t', `T${at} ${'long '.repeat(10)}`])
    const { tasks } = await desk.plan('t', 'a', ...titles.flat())
    const { stdout, stderr } = await desk.run(['t', 'u', '-i', tasks[89]!.id, '-s', 'doing'])
    const [, shown] = /\n(\d+) of 90 tasks; not shown: \d+ pending/.exec(stdout)!
    assert.deepEqual([rows(stdout).length, stderr], [Number(shown), `${shown} of 90\n`])
  })

  test('of all tasks prints the plan alone', async () => {
    const text = await desk.np('t', 'a', '-t', 'One', '-t', 'Two')
    assert.match(text, /^Session /)
    assert.equal(rows(text).length, 2)
  })

  test('of 300 tasks names every one of them', async () => {
    const all = Array.from({ length: 300 }, (_, at) => [
      '-t',
      `T${at} ${'x'.repeat(90)}`,
      '-d',
      'y'.repeat(3_000),
    ])
    const { stdout } = await desk.run(['t', 'a', ...all.flat()])
    assert.ok(stdout.length <= charactersMax, `${stdout.length}`)
    for (const { id } of (await desk.plan('p', '--all')).tasks) assert.ok(stdout.includes(id), id)
    assert.match(stdout, /\n\d+ of 300 tasks; not shown: \d+ pending; long texts are cut\./)
  })

  test('is never longer, whatever the texts', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 400 })
    // A lone dash stands for stdin.
    const title = text.filter((each) => !['', '-'].includes(each.trim()) && !/\p{Cc}/u.test(each))
    const lines = fc.array(fc.oneof(title, fc.constant('')), { maxLength: 30 })
    const description = lines.map((all) => all.join('\n')).filter((each) => each.trim() !== '-')
    const tasks = fc.array(fc.tuple(title, description), { minLength: 1, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(title, description, tasks, async (goal, about, all) => {
        desk = memoryDesk()
        await desk.start()
        await desk.run(['g', 's', '-t', goal, '-d', about, '--quiet'])
        const pairs = all.flatMap(([each, more]) => ['-t', each, '-d', more])
        const { stdout: added, exit } = await desk.run(['t', 'a', ...pairs])
        const { tasks: there } = await desk.plan('p')
        const { stdout: updated } = await desk.run([
          't',
          'u',
          '-i',
          there.at(-1)!.id,
          '-s',
          'doing',
        ])
        assert.deepEqual([exit, rows(updated)[0]], [0, there.at(-1)!.id])
        for (const printed of [added, updated]) {
          assert.ok(printed.length <= charactersMax, `${printed.length} characters`)
          assert.match(lastLine(printed), /^Next: /)
          const [, shown] = /\n(\d+) of \d+ tasks/.exec(printed) ?? []
          const seen = new Set(rows(printed)).size
          assert.equal(seen, shown === undefined ? there.length : Number(shown))
        }
      }),
      { numRuns: 30 },
    )
  })
})
