import assert from 'node:assert/strict'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { beforeEach, describe, test } from 'vitest'
import { cleanUp, type Desk, memoryDesk } from './desk.ts'

cleanUp()
let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

const eyes = async (columns: number, ...args: string[]): Promise<string[]> => {
  const { exit, stdout } = await desk.run(args, { isTerminal: true, columns })
  assert.equal(exit, 0)
  return stdout.split('\n').slice(0, -1)
}

const goal = 'Ship the parser, with an error for every input that used to be ignored in silence'

describe('np l on a terminal', () => {
  beforeEach(async () => {
    await desk.start()
    await desk.np('g', 's', '-t', goal)
    await desk.in('a-directory/that-is/rather-deep').start()
  })

  test('cuts rows to its width: goals at the end, directories at the start', async () => {
    const rows = await eyes(110, 'l')
    const [deep = '', first = ''] = rows.map((row) => row.slice(60))
    assert.match(deep, /^….*rather-deep {2}\(no goal yet\)$/)
    assert.match(first, /^….*\d+ +Ship the parser.*…$/)
    for (const row of rows) assert.ok(stringWidth(row) <= 110, row)
    assert.ok(rows.every((row) => /^[0-9A-Z]{26} {2}active {4}\d{4}-/.test(row)))
  })

  test('leaves out the time where directory and goal have little room', async () => {
    for (const columns of [61, 80]) {
      const [deep = '', first = ''] = await eyes(columns, 'l')
      assert.match(deep, /^[0-9A-Z]{26} {2}active {4}….*deep {2}\(no goal/)
      assert.match(first, /^[0-9A-Z]{26} {2}active {4}….*\d+ +Ship th.*…$/)
      assert.ok(stringWidth(first) <= columns)
    }
  })

  test('with enough room it shows all, as in a pipe', async () => {
    const squeezed = (rows: string[]) => rows.map((row) => row.replaceAll(/ {2,}/g, '  '))
    const lines = await desk.lines('l')
    assert.deepEqual(squeezed(await eyes(400, 'l')), squeezed(lines))
    assert.ok(lines[1]?.endsWith(`  ${desk.directory}  ${goal}`), lines[1])
    assert.equal((await desk.json('l')).data[1].goal.title, goal)
  })
})

test('np t cuts titles and descriptions on a terminal, and nowhere else', async () => {
  await desk.start()
  await desk.np('t', 'a', '-t', goal, '-d', goal)
  const [title = '', description = ''] = await eyes(40, 't')
  assert.match(title, /^☐ [0-9a-f]{6} {2}Ship the parser, with an erro…$/)
  assert.equal(description, '    Ship the parser, with an error for…')
  assert.ok((await desk.lines('t')).every((line) => line.endsWith(goal)))
})

test('no row is wider than its terminal, and none is missing, whatever the texts', async () => {
  const grapheme = fc.constantFrom('a', ' ', '一', 'é', 'e\u0301', '👩‍👩‍👧', '🇩🇪', '😀')
  const text = fc.string({ unit: grapheme, minLength: 1, maxLength: 90 }).map((each) => `x${each}`)
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 4 }), async (titles) => {
      desk = memoryDesk()
      for (const [at, title] of titles.entries()) {
        const place = desk.in(`${'/一é'.repeat(at * 5)}/${at}`)
        await place.start()
        await place.np('g', 's', '-t', title, '--quiet')
      }
      for (const columns of [1, 20, 59, 60, 61, 70, 80, 100, 140]) {
        const rows = await eyes(columns, 'l')
        assert.equal(rows.length, titles.length)
        for (const row of rows) assert.ok(stringWidth(row) <= columns, `${columns}: ${row}`)
        const ends = rows.map((row) => row.replace(/^\S+ +\w+ +(\d{4}-\S+Z +)?/, ''))
        if (columns >= 59)
          for (const end of ends) assert.match(end, /^\S+ {2,}x/, `${columns}: ${end}`)
      }
    }),
    { numRuns: 15 },
  )
})
