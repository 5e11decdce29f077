import assert from 'node:assert/strict'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { beforeEach, describe, test } from 'vitest'
import { type Desk, idFrom, memoryDesk } from './desk.ts'

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

const eyes = async (columns: number, ...args: string[]): Promise<string[]> => {
  const { exit, stdout } = await desk.run(args, { isTerminal: true, columns })
  assert.equal(exit, 0)
  return stdout.split('\n').slice(0, -1)
}

const long = 'Fix the login that fails with long passwords, and tell those who wrote in about it'

describe('ut ls on a terminal', () => {
  beforeEach(async () => {
    await desk.putTask({ id: idFrom('a1'), text: long, tags: ['auth', 'urgent'] })
    await desk.putTask({ id: idFrom('b2'), text: 'Short', tags: ['home'] })
    await desk.putTask({ id: idFrom('c3'), text: long })
    await desk.ut('rebuild-index')
  })

  test('cuts rows to its width, the text before the tags', async () => {
    assert.deepEqual(await eyes(60, 'ls'), [
      'a10000000000  Fix the login that fails with…   [auth,urgent]',
      'b20000000000  Short                            [home]',
      'c30000000000  Fix the login that fails with long passwords,…',
    ])
    assert.deepEqual(await eyes(60), await eyes(60, 'ls'))
  })

  test('with more room shows more, and with enough all', async () => {
    for (const columns of [70, 100])
      assert.ok((await eyes(columns, 'ls')).some((row) => stringWidth(row) > columns - 10))
    assert.deepEqual(await eyes(200, 'ls'), await desk.lines('ls'))
  })

  test('a pipe and --json get everything', async () => {
    const lines = await desk.lines('ls')
    assert.ok(lines[0]?.includes(`${long}  [auth,urgent]`), lines[0])
    assert.equal((await desk.json('ls')).data[0].text, long)
  })
})

test('no row is wider than its terminal, and no character is cut in two, whatever the texts', async () => {
  const grapheme = fc.constantFrom(
    'a',
    ' ',
    '一',
    'é',
    'e\u0301',
    '👩‍👩‍👧',
    '🇩🇪',
    'ก็',
    '\u200b',
    '😀',
    '́',
  )
  const text = fc.string({ unit: grapheme, minLength: 1, maxLength: 120 })
  const tags = fc.array(fc.constantFrom('home', '買い物', 'x'.repeat(60), 'work'), { maxLength: 4 })
  const tasks = fc.array(fc.tuple(text, tags), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(tasks, fc.integer({ min: 1, max: 130 }), async (all, columns) => {
      desk = memoryDesk()
      for (const [at, [text, tags]] of all.entries())
        await desk.putTask({ id: idFrom(`${at}`), text: `x${text}`, tags: [...new Set(tags)] })
      const [whole, cut] = [await desk.lines('ls'), await eyes(columns, 'ls')]
      assert.equal(cut.length, whole.length)
      for (const [at, row] of cut.entries()) {
        assert.ok(stringWidth(row) <= columns, `${stringWidth(row)} of ${columns}: ${row}`)
        const graphemes = (line: string) =>
          [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment)
        const [all, shown] = [new Set(graphemes(whole[at]!)), graphemes(row)]
        for (const each of shown) assert.ok(each === '…' || all.has(each), JSON.stringify(each))
        if (!row.includes('…'))
          assert.equal(row.replaceAll(/ +/g, ' '), whole[at]?.replaceAll(/ +/g, ' '))
      }
    }),
    { numRuns: 60 },
  )
})
