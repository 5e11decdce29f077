import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { PlanEvent } from '../../src/plan/index.ts'
import { commandsOf } from '../../src/tui/keys.ts'
import { ageText, clockText, timeText } from '../../src/tui/times.ts'
import { eventWords, placeText, plain } from '../../src/tui/wording.ts'
import { noon } from './states.ts'

const keys: readonly [string, Parameters<typeof commandsOf>, string[]][] = [
  ['j', ['j', {}], ['down']],
  ['several keys at once', ['jjk', {}], ['down', 'down', 'up']],
  ['g and G', ['gG', {}], ['first', 'last']],
  ['an arrow', ['', { upArrow: true }], ['up']],
  ['a page', ['', { pageDown: true }], ['page-down']],
  ['tab', ['', { tab: true }], ['other-pane']],
  ['enter', ['\r', { return: true }], ['open']],
  ['escape', ['', { escape: true }], ['back']],
  ['q', ['q', {}], ['quit']],
  ['Ctrl-C', ['c', { ctrl: true }], ['quit']],
  ['Ctrl-Z', ['z', { ctrl: true }], ['suspend']],
  ['?', ['?', {}], ['help']],
  ['n', ['n', {}], ['successor']],
  ['c alone', ['c', {}], []],
  ['Ctrl-Q', ['q', { ctrl: true }], []],
  ['any other', ['x€', {}], []],
]

test.each(keys)('the key %s', (_, args, expected) => {
  assert.deepEqual(commandsOf(...args), expected)
})

const ago = (seconds: number) => new Date(noon - seconds * 1000).toISOString()

const ages: readonly [number, string][] = [
  [-5, 'just now'],
  [9, 'just now'],
  [10, '10 s ago'],
  [59, '50 s ago'],
  [60, '1 min ago'],
  [3599, '59 min ago'],
  [3600, '1 h ago'],
  [86_400, 'a day ago'],
  [864_000, '10 days ago'],
]

test.each(ages)('the age of %d s', (seconds, text) => {
  assert.equal(ageText(ago(seconds), noon), text)
})

test('times of today, of this year, of another, and none', () => {
  assert.match(timeText(ago(60), noon), /^\d\d:\d\d:\d\d$/)
  assert.match(timeText(ago(86_400 * 3), noon), /^11-12 \d\d:\d\d$/)
  assert.match(timeText(ago(86_400 * 400), noon), /^2025-\d\d-\d\d$/)
  assert.deepEqual(
    [timeText('soon', noon), clockText('soon'), ageText('soon', noon)],
    ['?', '?', ''],
  )
})

const common = { seq: 1, at: ago(0), reason: null, cmd: 'np' }
const words = { title: 'T', description: '', updated_at: ago(0) }

const happenings: readonly [PlanEvent, string][] = [
  [{ ...common, type: 'goal_set', payload: { goal: words } }, '◆ goal set  T'],
  [
    { ...common, type: 'goal_updated', payload: { goal_before: words, goal_after: words } },
    '◆ goal changed  T',
  ],
  [
    { ...common, type: 'task_updated', payload: { task_id: 'a1', before: words, after: words } },
    '~ changed a1 T',
  ],
  ...(
    [
      ['pending', '☐ reopened'],
      ['in_progress', '⟳ started'],
      ['completed', '☑ completed'],
      ['failed', '☒ failed'],
      ['cancelled', '⊗ cancelled'],
    ] as const
  ).map(([status_after, text]): [PlanEvent, string] => [
    {
      ...common,
      type: 'task_status_changed',
      payload: { ...words, task_id: 'a1', status_before: 'pending', status_after },
    },
    `${text} a1 T`,
  ]),
]

test.each(happenings)('an event in words: %j', (event, expected) => {
  const { glyph, what, id, title } = eventWords({ seq: 1, event, problem: null })
  assert.equal([glyph, what, id, title].join(' '), expected)
})

test('an event that can not be read says so', () => {
  const { title } = eventWords({ seq: 7, event: null, problem: 'it is no JSON object' })
  assert.equal(title, "Event 7 can't be read: it is no JSON object.")
})

describe('text of others', () => {
  const texts: readonly [string, string][] = [
    ['two\n\tlines', 'two lines'],
    ['\u001B[2Jgone', '\\x1b[2Jgone'],
    ['\u009B2J', '\\x9b2J'],
    ['right \u202Eto left', 'right \\u202eto left'],
    ['half \uD83D', 'half �'],
    ['zero\u200Bwidth\uFEFF', 'zero\\u200bwidth\\ufeff'],
    ['👩‍👩‍👧 stay together', '👩‍👩‍👧 stay together'],
  ]
  test.each(texts)('%j is shown as %j', (given, expected) => assert.equal(plain(given), expected))
})

test('places have short names', () => {
  const places = { home: '/home/ada', here: '/home/ada/work' }
  assert.equal(placeText('/home/ada/work', places), 'this directory')
  assert.equal(placeText('/home/ada/play', places), '~/play')
  assert.equal(placeText('/home/adam', places), '/home/adam')
})
