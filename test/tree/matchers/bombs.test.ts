import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseMatchers } from '../../../src/tree/matchers/index.ts'
import { processorMs } from '../../rounds.ts'
import { sized } from '../../size.ts'

/** What is refused by its size alone is not among these: they are as large as they may be, in a soak. */
const size = sized(20_000, 65_000)
const filled = (start: string, part: string, end = ''): string =>
  `${start}${part.repeat(Math.floor((size - start.length - end.length) / part.length))}${end}`

const laughs = [
  'a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]',
  ...[...'bcdefghi'].map((name, index) => {
    const previous = `*${'abcdefgh'[index]}`
    return `${name}: &${name} [${Array(9).fill(previous).join(', ')}]`
  }),
  'matchers: *i',
].join('\n')

/** The whole file is refused. */
const refused: Readonly<Record<string, readonly [string, RegExp]>> = {
  'a billion laughs': [laughs, /Aliases are not taken/],
  'an alias of itself': ['matchers: &a [*a]\n', /Aliases are not taken/],
  'many aliases': [filled('x: &a [y]\nmatchers: [', '*a,', ']'), /Aliases are not taken/],
  'open brackets': [filled('matchers: ', '['), /nested too deeply/],
  'open braces': [filled('matchers: ', '{a: '), /nested too deeply/],
  'brackets within brackets': [
    `matchers: ${'['.repeat(size / 2 - 10)}${']'.repeat(size / 2 - 10)}`,
    /nested too deeply/,
  ],
  'colons in a list': [filled('matchers: [', 'a: ', ']'), /nested too deeply/],
  'lists in lists': [filled('', '- '), /nested too deeply|No YAML|must be a map/],
  'many anchors': [filled('matchers: ', '&a '), /No YAML/],
  'many commas': [filled('matchers: [', ',', ']'), /No YAML/],
  'tabs all over': [filled('matchers:\n', '\t- x: [}\n'), /No YAML/],
  'directives all over': [filled('', '%\n'), /No YAML/],
  'too many matchers': [filled('matchers:\n', '- {}\n'), /more than 1000 matchers/],
  'a file that is too large': [`# ${'x'.repeat(65_536)}`, /more than 65536 bytes/],
  'a file with too many bytes': [`# ${'é'.repeat(33_000)}`, /more than 65536 bytes/],
  'a huge file': ['['.repeat(50_000_000), /more than 65536 bytes/],
}

/** The file is read; what is too much in it is skipped or ignored. */
const survived: Readonly<Record<string, string>> = {
  'many unknown keys': `${Array.from({ length: 6_000 }, (_, index) => `k${index}: 1`).join('\n')}\nmatchers: []\n`,
  'a thousand matchers without anything': filled('matchers:\n', '- {}\n').slice(0, 4_999),
  'many expensive patterns': `matchers:\n${`- {name: a, grimoire: g, match: {any_tags: ["${'{a,b}'.repeat(8)}"]}}\n`.repeat(600)}`,
  'one pattern with a thousand braces': `matchers:\n- {name: a, grimoire: g, match: {any_tags: ["${'{a,b}'.repeat(1_000)}"]}}\n`,
  'a long number': `matchers: []\nx: ${'1'.repeat(60_000)}\n`,
}

const patienceMs = 10_000

describe('a file that is meant to do harm', () => {
  for (const [name, [text, why]] of Object.entries(refused))
    test(`${name}: refused`, async () => {
      const start = processorMs()
      const { rules, findings } = await parseMatchers(text)
      assert.equal(rules, null)
      assert.ok(findings.length <= 201)
      const errors = findings.filter(({ severity }) => severity === 'error')
      assert.match(errors.map(({ message }) => message).join(' '), why)
      for (const { line, column } of findings) assert.ok(line >= 1 && column >= 1)
      assert.ok(processorMs() - start < patienceMs)
    })

  for (const [name, text] of Object.entries(survived))
    test(`${name}: read`, async () => {
      const start = processorMs()
      const { rules, findings } = await parseMatchers(text)
      assert.ok(rules !== null && rules.length <= 1_000)
      assert.ok(findings.length > 0 && findings.length <= 201)
      assert.ok(processorMs() - start < patienceMs)
    })

  test('the patterns of a file together are bounded', async () => {
    const { rules } = await parseMatchers(survived['many expensive patterns'] as string)
    const used = rules?.filter((rule) => !('skipped' in rule)).length ?? 0
    assert.ok(used > 10 && used < 100, `${used} are in use`)
    const last = rules?.at(-1)
    assert.match(last && 'skipped' in last ? last.skipped : '', /too many to keep/)
  })

  test('of many findings the first hundred are kept, and the others counted', async () => {
    const { findings } = await parseMatchers(survived['many unknown keys'] as string)
    assert.equal(findings.length, 101)
    assert.equal(findings.at(-1)?.message, 'There are 5901 more.')
    assert.equal(findings.at(-1)?.severity, 'warning')
  })

  test('an error behind many warnings is kept', async () => {
    const text = (survived['many unknown keys'] as string).replace('matchers: []', 'matchers: 7')
    const { findings } = await parseMatchers(text)
    assert.ok(findings.some(({ message }) => message === 'matchers must be a list.'))
  })
})
