import { describe, test } from 'vitest'
import { type Case, check, matcher } from './findings.ts'

const match = (field: string): string => matcher(`    match:\n      ${field}\n`)

const known =
  'any_tags, all_tags, labels, priority, priority_range, type, body_contains, has_parent, not_tags'
const bad = 'is bad: the [ at 1 is not closed.'

/** Without a condition it would match every task, which is not what somebody meant who wrote one. */
const unmatched = '5:7: error: match has no condition that is known, only unknown fields.'

const fields: readonly Case[] = [
  [
    match('any_tag: [x]\n      priority: [0]'),
    [`5:7: warning: Unknown field 'any_tag' of match is ignored. Known are ${known}.`],
    ['a'],
  ],
  [match('{}'), [], ['a']],
  [
    match('any_tag: [x]'),
    [`5:7: warning: Unknown field 'any_tag' of match is ignored. Known are ${known}.`, unmatched],
    [],
  ],
  [
    match('grimoire: x'),
    [
      "5:7: warning: Unknown field 'grimoire' of match is ignored. It belongs beside match.",
      unmatched,
    ],
    [],
  ],
  [
    match('__proto__: {any_tags: [x]}'),
    [`5:7: warning: Unknown field '__proto__' of match is ignored. Known are ${known}.`, unmatched],
    [],
  ],
  [
    match('constructor: [x]'),
    [
      `5:7: warning: Unknown field 'constructor' of match is ignored. Known are ${known}.`,
      unmatched,
    ],
    [],
  ],
  [
    match('any_tags: [x]\n      any_tags: [y]'),
    ["6:7: error: The field 'any_tags' of match stands there twice."],
    [],
  ],
  [match('any_tags: ["ok", "[x"]'), [`5:24: error: any_tags: The pattern "[x" ${bad}`], []],
  [match('all_tags: ["[x"]'), [`5:18: error: all_tags: The pattern "[x" ${bad}`], []],
  [
    match('not_tags:\n        - ok\n        - "[x"'),
    [`7:11: error: not_tags: The pattern "[x" ${bad}`],
    [],
  ],
  [
    match('labels: ["[x"]'),
    [
      '5:15: warning: labels is deprecated. Use any_tags.',
      `5:16: error: labels: The pattern "[x" ${bad}`,
    ],
    [],
  ],
  [match('labels: [x]'), ['5:15: warning: labels is deprecated. Use any_tags.'], ['a']],
  [
    match('any_tags: ["{a,b", "c}"]'),
    [
      '5:18: error: any_tags: The pattern "{a,b" is bad: the { at 1 is not closed.',
      '5:26: error: any_tags: The pattern "c}" is bad: the } at 2 closes no brace.',
    ],
    [],
  ],
  [
    match('any_tags: [[x], {}, ~, ""]'),
    ['5:18', '5:23', '5:27', '5:30'].map(
      (at) => `${at}: error: any_tags: The pattern "" is bad: it is empty.`,
    ),
    [],
  ],
  [match('any_tags: x'), ['5:17: error: any_tags must be a list of patterns.'], []],
  [match('any_tags: {x: 1}'), ['5:17: error: any_tags must be a list of patterns.'], []],
  [
    match('any_tags: []'),
    ['5:17: warning: any_tags is empty, which is as if it were not there.'],
    ['a'],
  ],
  [
    match('any_tags:'),
    ['5:7: warning: any_tags is empty, which is as if it were not there.'],
    ['a'],
  ],
  [match('priority: [0, 5]'), ['5:21: error: priority: priority must be 0-4.'], []],
  [match('priority: [-1]'), ['5:18: error: priority: priority must be 0-4.'], []],
  [match('priority: [1.5]'), ['5:18: error: priority: priority must be 0-4.'], []],
  [match('priority: ["1"]'), ['5:18: error: priority: priority must be 0-4.'], []],
  [match('priority: [.nan]'), ['5:18: error: priority: priority must be 0-4.'], []],
  [match('priority: 1'), ['5:17: error: priority must be a list of numbers from 0 to 4.'], []],
  [match('priority_range: [3, 1]'), ['5:23: error: priority_range min must be <= max.'], []],
  [
    match('priority_range: [1]'),
    ['5:23: error: priority_range must be a list of two: [min, max].'],
    [],
  ],
  [
    match('priority_range: [1, 2, 3]'),
    ['5:23: error: priority_range must be a list of two: [min, max].'],
    [],
  ],
  [
    match('priority_range: [1, 9]'),
    [
      '5:23: error: priority_range must be a list of two: [min, max].',
      '5:27: error: priority_range: priority must be 0-4.',
    ],
    [],
  ],
  [
    match('type: [bug, story]'),
    ["5:13: warning: No task has the type 'story'. Types are task, feature, bug, epic."],
    ['a'],
  ],
  [match('type: [[bug]]'), ['5:14: error: type must be a list of texts that are not empty.'], []],
  [match('type: bug'), ['5:13: error: type must be a list of texts.'], []],
  [
    match('body_contains: [x, " "]'),
    ['5:26: error: body_contains must be a list of texts that are not empty.'],
    [],
  ],
  [match('has_parent: yes'), ['5:19: error: has_parent must be true or false.'], []],
  [match('has_parent: [true]'), ['5:19: error: has_parent must be true or false.'], []],
  [match('has_parent:'), ['5:7: error: has_parent must be true or false.'], []],
]

describe('a field of match', () => {
  for (const each of fields) test(each[0].split('\n').slice(4).join(' '), () => check(each))
})
