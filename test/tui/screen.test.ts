import assert from 'node:assert/strict'
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
    /^Updated .*, just now +tab events {2}↑↓ scroll {2}l sessions {2}q quit$/,
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
  assert.match(lines[23] ?? '', /enter open {2}q quit$/)
})
