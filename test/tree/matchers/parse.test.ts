import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseMatchers } from '../../../src/tree/matchers/index.ts'
import { type Case, check, matcher } from './findings.ts'

const wholeFiles: readonly Case[] = [
  ['', ['1:1: warning: The file holds no matchers.'], []],
  ['# nothing\n', ['1:1: warning: The file holds no matchers.'], []],
  ['matchers:\n', ['1:1: warning: The list of matchers is empty.'], []],
  ['\nmatchers: []\n', ['2:11: warning: The list of matchers is empty.'], []],
  [
    'other: 1\n',
    [
      "1:1: warning: Unknown field 'other' of the file is ignored. Known are matchers.",
      "1:1: error: The file has no list 'matchers'.",
    ],
    null,
  ],
  ['- a\n', ["1:1: error: The file must be a map with the list 'matchers'."], null],
  ['\nhello\n', ["2:1: error: The file must be a map with the list 'matchers'."], null],
  ['matchers: {a: 1}\n', ['1:11: error: matchers must be a list.'], null],
  ['matchers: 7\n', ['1:11: error: matchers must be a list.'], null],
  [
    'matchers: []\nmatchers: []\n',
    ["2:1: error: The field 'matchers' of the file stands there twice."],
    null,
  ],
  [
    'a: [\n',
    [
      '2:1: error: No YAML: Flow sequence in block collection must be sufficiently indented and end with a ].',
    ],
    null,
  ],
  [
    'a: 1\n b: 2\n',
    [
      '1:4: error: No YAML: Nested mappings are not allowed in compact mappings.',
      '1:4: error: No YAML: Implicit keys need to be on a single line.',
    ],
    null,
  ],
  ['a: "x\n', ['2:1: error: No YAML: Missing closing "quote.'], null],
  ['a: |secret\n x', ['1:5: error: No YAML: Block scalar header includes extra characters.'], null],
  ['matchers: []\n---\nmatchers: []\n', ['2:1: error: The file holds several documents.'], null],
  ['a: &x [1]\nmatchers: *x\n', ['2:11: error: Aliases are not taken. Write it out.'], null],
  [
    'x: &x {name: n}\nmatchers:\n  - <<: *x\n    grimoire: g\n',
    ['3:9: error: Aliases are not taken. Write it out.'],
    null,
  ],
  [
    '__proto__: {a: 1}\nmatchers: []\n',
    [
      "1:1: warning: Unknown field '__proto__' of the file is ignored. Known are matchers.",
      '2:11: warning: The list of matchers is empty.',
    ],
    [],
  ],
]

const matchers: readonly Case[] = [
  [matcher('    match: {}\n'), [], ['a']],
  [
    'matchers:\n  - 7\n  -\n',
    [
      '2:5: error: matcher 1 must be a map with name, grimoire and match.',
      '3:4: error: matcher 2 must be a map with name, grimoire and match.',
    ],
    [],
  ],
  [
    'matchers:\n  - name: a\n    match: {}\n',
    ['2:5: error: matcher must specify grimoire or inherit.'],
    [],
  ],
  [
    'matchers:\n  - name: a\n    inherit: false\n    match: {}\n',
    ['2:5: error: matcher must specify grimoire or inherit.'],
    [],
  ],
  [
    'matchers:\n  - name: a\n    grimoire: ""\n    match: {}\n',
    ['3:15: error: grimoire must be a text that is not empty.'],
    [],
  ],
  [
    'matchers:\n  - name: a\n    grimoire:\n    match: {}\n',
    ['3:5: error: grimoire must be a text that is not empty.'],
    [],
  ],
  [
    'matchers:\n  - name: a\n    grimoire: [g]\n    match: {}\n',
    ['3:15: error: grimoire must be a text that is not empty.'],
    [],
  ],
  [
    'matchers:\n  - name: a\n    grimoire: "a\\eb"\n    match: {}\n',
    ['3:15: error: grimoire has the control character U+001B.'],
    [],
  ],
  [
    `matchers:\n  - name: ${'n'.repeat(501)}\n    grimoire: g\n    match: {}\n`,
    ['2:11: error: name has more than 500 characters.'],
    [],
  ],
  [
    'matchers:\n  - name: ""\n    grimoire: g\n    match: {}\n',
    ['2:11: error: name must be a text that is not empty.'],
    [],
  ],
  [
    'matchers:\n  - grimoire: g\n    match: {}\n',
    ["2:5: warning: A matcher has no name. It is called 'matcher 1'."],
    ['matcher 1'],
  ],
  ['matchers:\n  - name: 2024\n    grimoire: true\n    match: {}\n', [], ['2024']],
  [
    'matchers:\n  - name: a\n    inherit: maybe\n    match: {has_parent: true}\n',
    [
      '2:5: error: matcher must specify grimoire or inherit.',
      '3:14: error: inherit must be true or false.',
    ],
    [],
  ],
  [
    'matchers:\n  - name: a\n    inherit: true\n    match: {}\n',
    ['3:14: warning: inherit matcher should include has_parent condition.'],
    ['a'],
  ],
  [
    'matchers:\n  - name: a\n    inherit: true\n    match: {has_parent: false}\n',
    ['3:14: warning: inherit matcher should include has_parent condition.'],
    ['a'],
  ],
  [
    'matchers:\n  - name: a\n    inherit: true\n    grimoire: g\n    match: {has_parent: true}\n',
    ['4:15: warning: A matcher with inherit takes the grimoire of the parent. Its own is ignored.'],
    ['a'],
  ],
  [matcher(''), ['2:5: warning: A matcher without match matches everything.'], ['a']],
  [matcher('    match:\n'), ['4:5: warning: A matcher without match matches everything.'], ['a']],
  [matcher('    match: [x]\n'), ['4:12: error: match must be a map of conditions.'], []],
  [
    matcher('    match: {}\n    colour: red\n'),
    [
      "5:5: warning: Unknown field 'colour' of a matcher is ignored. Known are name, grimoire, inherit, match.",
    ],
    ['a'],
  ],
  [
    matcher('    match: {}\n    any_tags: [x]\n'),
    ["5:5: error: Unknown field 'any_tags' of a matcher. It belongs under match."],
    [],
  ],
  ...['any_tags: [x]', 'not_tags: [x]', 'has_parent: true', 'priority_range: [0, 1]'].map(
    (condition): Case => {
      const name = condition.split(':')[0]
      return [
        matcher(`    match: {type: [bug]}\n    ${condition}\n`),
        [`5:5: error: Unknown field '${name}' of a matcher. It belongs under match.`],
        [],
      ]
    },
  ),
  ...['', '    match:\n'].flatMap((match) =>
    ['mach: {any_tags: [x]}', 'conditions: [x]', 'any_tag: [x]'].map((field): Case => {
      const line = match === '' ? 4 : 5
      const name = field.split(':')[0]
      const at = match === '' ? '2:5' : '4:5'
      const findings = [
        `${at}: error: A matcher with unknown fields needs a match, or it would match everything.`,
        `${line}:5: warning: Unknown field '${name}' of a matcher is ignored. Known are name, grimoire, inherit, match.`,
      ]
      return [matcher(`${match}    ${field}\n`), findings, []]
    }),
  ),
  [
    'matchers:\n  - {name: a, inherit: true, has_parent: true}\n',
    [
      '2:5: error: A matcher with unknown fields needs a match, or it would match everything.',
      '2:24: warning: inherit matcher should include has_parent condition.',
      "2:30: error: Unknown field 'has_parent' of a matcher. It belongs under match.",
    ],
    [],
  ],
  [
    matcher('    match: {}\n    name: b\n'),
    ["5:5: error: The field 'name' of a matcher stands there twice."],
    [],
  ],
  [
    matcher('    match: {}\n    ? [x]\n    : 1\n'),
    [
      "5:7: warning: Unknown field '?' of a matcher is ignored. Known are name, grimoire, inherit, match.",
    ],
    ['a'],
  ],
  [
    matcher('    match: {}\n    "\\e[31m": 1\n'),
    [
      '5:5: warning: Unknown field of a matcher is ignored. Known are name, grimoire, inherit, match.',
    ],
    ['a'],
  ],
  [
    matcher('    match: {}\n  - name: a\n    grimoire: g\n    match: {}\n'),
    [
      "5:5: warning: Two matchers have the name 'a'.",
      "5:5: warning: matcher 'a' will never be reached because 'a' matches everything.",
    ],
    ['a', 'a'],
  ],
  [
    matcher('    match: {}\n  - {name: b, grimoire: g, match: {type: [bug]}}\n  - {name: c}\n'),
    [
      "5:5: warning: matcher 'b' will never be reached because 'a' matches everything.",
      '6:5: error: matcher must specify grimoire or inherit.',
      '6:5: warning: A matcher without match matches everything.',
      "6:5: warning: matcher 'c' will never be reached because 'a' matches everything.",
    ],
    ['a', 'b'],
  ],
  [
    'matchers:\n  - {name: i, inherit: true, match: {has_parent: true}}\n  - {name: b, grimoire: g, match: {type: [bug]}}\n',
    [],
    ['i', 'b'],
  ],
]

describe('a file of matchers', () => {
  for (const each of wholeFiles) test(JSON.stringify(each[0]), () => check(each))
})

describe('a matcher', () => {
  for (const each of matchers) test(JSON.stringify(each[0]).slice(0, 200), () => check(each))
})

test('one bad matcher leaves the others in use', async () => {
  const { rules } = await parseMatchers(
    'matchers:\n- {name: a, grimoire: g, match: {any_tags: ["["]}}\n- {name: b, grimoire: h, match: {type: [bug]}}\n',
  )
  assert.deepEqual(
    rules?.map((rule) => [rule.name, 'skipped' in rule]),
    [
      ['a', true],
      ['b', false],
    ],
  )
})

test('nothing gets a prototype from the file', async () => {
  await parseMatchers(
    'matchers:\n- {name: __proto__, grimoire: __proto__, match: {__proto__: {polluted: true}}}\n',
  )
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
})
