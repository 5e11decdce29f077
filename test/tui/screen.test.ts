import assert from 'node:assert/strict'
import fc from 'fast-check'
import { renderToString } from 'ink'
import { createElement } from 'react'
import stringWidth from 'string-width'
import { describe, test } from 'vitest'
import { Screen } from '../../src/tui/app.tsx'
import type { Action, MonitorState } from '../../src/tui/state.ts'
import {
  added,
  command,
  commands,
  news,
  page,
  pickerStart,
  session,
  sessionStart,
  stateAfter,
  task,
  wholeNews,
} from './states.ts'

const places = { home: '/home/ada', here: '/home/ada/work' }

const linesOf = (state: MonitorState): string[] =>
  renderToString(createElement(Screen, { state, places }), { columns: state.size.columns }).split(
    '\n',
  )

const resized = (columns: number, rows: number): Action => ({
  type: 'resized',
  size: { columns, rows },
})

const wide = '一二三四五六七八九十'.repeat(9)
const oddities = news({
  session: { ...session, dir_path: `/${wide}` },
  goal: { title: `\u001B[2J${wide}`, description: `${wide}\n\n${wide}`, updated_at: '' },
  tasks: [{ ...task(1, 'in_progress'), title: `👩‍👩‍👧 ${wide}` }, task(2, 'failed')],
  log: {
    total: 3,
    range: { first: 1, last: 3 },
    events: [added(1), { seq: 2, event: null, problem: 'it is no JSON object' }],
  },
})
const down = { since: 0, isForGood: false, why: 'down' }
const away: Action = { type: 'away', away: down }
const gone: Action = { type: 'away', away: { ...down, isForGood: true } }

const states: readonly [string, MonitorState][] = [
  ['a session not read yet', sessionStart()],
  ['an empty session', stateAfter([news({ ...wholeNews(0, 0), goal: null })])],
  ['a session', stateAfter([news(wholeNews(200, 100))])],
  ['a session with oddities', stateAfter([oddities])],
  ['a session whose store is away', stateAfter([oddities, away])],
  ['a session whose store is gone', stateAfter([oddities, gone])],
  ['a session with a problem', stateAfter([oddities, news({ session: null, problem: wide })])],
  ['a session that has a successor', stateAfter([oddities, news({ session, successor: 'x' })])],
  ['the help', stateAfter([oddities, command('help')])],
  ['a list not read yet', pickerStart()],
  ['an empty list', stateAfter([page(0, 20, 0)], pickerStart())],
  ['a list', stateAfter([page(0, 20, 50), command('down')], pickerStart())],
  ['a list partly read', stateAfter([page(0, 20, 50), ...commands('last')], pickerStart())],
]

describe('on every terminal', () => {
  test.each(states)('%s has its place', (_, state) => {
    for (const columns of [1, 7, 8, 20, 40, 55, 80, 110])
      for (const rows of [1, 2, 3, 6, 10, 18, 30]) {
        const lines = linesOf(stateAfter([resized(columns, rows)], state))
        const where = `${columns}×${rows}`
        assert.ok(lines.length <= rows, `${lines.length} lines on ${where}`)
        for (const line of lines)
          assert.ok(stringWidth(line) <= columns, `${JSON.stringify(line)} on ${where}`)
      }
  })
})

test('a session at 80 by 24', () => {
  const lines = linesOf(
    stateAfter([news(wholeNews(200, 100)), news({ session, tasks: [task(101, 'in_progress')] })]),
  )
  assert.match(lines[0] ?? '', /^Ship +active$/)
  assert.match(lines[1] ?? '', /^\/srv\/plans · started .* · 01M7G0S0X0WMWM2QNYQ8ZY3JSC$/)
  assert.match(lines[2] ?? '', /^── Tasks {2}☐ 99 {2}⟳ 1 {2}☑ 100 ─+ 97–108 of 200 ──$/)
  assert.equal(lines[3], '☑ 000061  Task 97')
  assert.equal(lines[7], '⟳ 000065  Task 101')
  assert.match(lines[15] ?? '', /^── Events ─+ 194–200 of 200 ──$/)
  assert.match(lines[22] ?? '', /^\d\d:\d\d:\d\d \+ added {8}0000c8 {2}Task 200$/)
  assert.match(
    lines[23] ?? '',
    /^Updated .*, just now +tab events {2}↑↓ scroll {2}l sessions {2}\? help {2}q quit$/,
  )
})

test('an outage is said in the last line, with how to leave', () => {
  const lines = linesOf(stateAfter([news(wholeNews(3, 1)), away]))
  assert.match(
    lines.at(-1) ?? '',
    /^! Store away since \d\d:\d\d:\d\d, trying again\. down +.*q quit$/,
  )
  assert.equal(lines[3], '☑ 000001  Task 1')
})

test('where the store must be opened again the last line says how', () => {
  const lines = linesOf(stateAfter([news(wholeNews(3, 1)), gone]))
  assert.match(
    lines.at(-1) ?? '',
    /^! Store gone since \d\d:\d\d:\d\d: quit, and start np m again\. down +.*q quit$/,
  )
})

test('a list at 80 by 24', () => {
  const lines = linesOf(stateAfter([page(0, 20, 50), command('down')], pickerStart()))
  assert.match(lines[0] ?? '', /^── Sessions ─+ 1–21 of 50 ──$/)
  assert.match(lines[1] ?? '', /^ +goal +directory +started +updated$/)
  assert.match(lines[2] ?? '', /^ {2}● Goal 0 +\/srv\/plans +\S+ +\S+$/)
  assert.match(lines[3] ?? '', /^› ● \(no goal yet\) /)
  assert.match(lines[5] ?? '', /^ {2}○ /)
  assert.match(lines[23] ?? '', /enter open {2}\? help {2}q quit$/)
})

/** The rows of a description on a terminal of so many columns: one below the other, without what is beside them. */
const describedOn = (columns: number, description: string): string[] => {
  const goal = { title: 'Ship', description, updated_at: '' }
  const state = stateAfter([resized(columns, 24), news({ ...wholeNews(3, 0), goal })])
  const lines = linesOf(state).map((line) => line.trimEnd())
  return lines.slice(
    2,
    lines.findIndex((line) => /^(── )?Tasks/.test(line)),
  )
}

describe('a description', () => {
  const shown: readonly [string, number, string, string[]][] = [
    ['short', 40, 'short', ['short']],
    ['as wide as the terminal', 10, '一二三四五', ['一二三四五']],
    ['wide, in two rows', 10, '一二三四五六七八九十', ['一二三四五', '六七八九十']],
    ['wide, and more', 10, '一二三四五六七八九十一', ['一二三四五', '六七八九…']],
    ['of words', 10, 'one two three four five', ['one two', 'three fou…']],
    ['of a long word', 10, `a ${'x'.repeat(30)}`, ['a xxxxxxxx', 'xxxxxxxxx…']],
    ['of emoji', 10, '👩‍👩‍👧'.repeat(11), ['👩‍👩‍👧'.repeat(5), `${'👩‍👩‍👧'.repeat(4)}…`]],
    ['with accents', 10, 'e\u0301'.repeat(21), ['e\u0301'.repeat(10), `${'e\u0301'.repeat(9)}…`]],
    ['of many lines', 20, 'one\ntwo\nthree', ['one two three']],
    ['of 64 KiB', 10, '一'.repeat(21_000), ['一二三四五'.replaceAll(/./gu, '一'), '一一一一…']],
  ]
  test.each(shown)('%s', (_, columns, description, rows) => {
    assert.deepEqual(describedOn(columns, description), rows)
  })

  test('has all of its text, or an ellipsis', async () => {
    const grapheme = fc.constantFrom('a', 'b', ' ', '一', 'é', 'e\u0301', '👩‍👩‍👧', '🇩🇪')
    const text = fc.string({ unit: grapheme, maxLength: 200 }).map((each) => each.trim())
    fc.assert(
      fc.property(text, fc.integer({ min: 8, max: 60 }), (description, columns) => {
        const squeezed = (all: string) => all.replaceAll(/\s/g, '')
        const rows = describedOn(columns, description)
        const all = squeezed(rows.join(''))
        for (const row of rows) assert.ok(stringWidth(row) <= columns, row)
        if (all !== squeezed(description)) {
          assert.ok(all.endsWith('…'), all)
          assert.ok(squeezed(description).startsWith(all.slice(0, -1)), all)
        }
      }),
      { numRuns: 50 },
    )
  })
})

test('the help tells every key, all of it on a terminal of 60 columns', () => {
  const narrow = linesOf(
    stateAfter([{ type: 'resized', size: { columns: 60, rows: 24 } }, command('help')]),
  )
  assert.ok(!narrow.join('').includes('…'), narrow.join('\n'))
  const text = linesOf(stateAfter([command('help')])).join('\n')
  for (const key of ['esc', 'Ctrl-Z', '?', 'tab', 'enter', 'q', 'f', 'l', 'n', 'r', 'g G'])
    assert.ok(text.includes(` ${key} `), key)
  assert.match(text, /esc back {2}q quit$/)
})

test('an archived session whose directory has another one says so, and the key that opens it', () => {
  const archived = { ...session, state: 'archived' as const, archived_at: session.created_at }
  const state = stateAfter([news(wholeNews(3, 1)), news({ session: archived, successor: 'x' })])
  const last = linesOf(state).at(-1) ?? ''
  assert.match(last, /^n opens the new session of this directory; this one is archived .*q quit$/)
  assert.match(
    linesOf(stateAfter([news({ session, successor: null })], state)).at(-1) ?? '',
    /^Updated/,
  )
})
