import assert from 'node:assert/strict'
import fc from 'fast-check'
import { renderToString } from 'ink'
import { createElement } from 'react'
import stringWidth from 'string-width'
import { describe, test } from 'vitest'
import type { PlanEvent, StoredEvent } from '../../src/plan/index.ts'
import { Screen } from '../../src/tui/app.tsx'
import type { MonitorState } from '../../src/tui/state.ts'
import { plain } from '../../src/tui/wording.ts'
import { added, news, numbers, page, pickerStart, session, stateAfter, task } from './states.ts'

const places = { home: '/home/ada', here: '/home/ada/work' }
const widths = numbers(101, 20)

/** The lines of a state on a terminal of so many columns. None is wider than that. */
function linesOn(columns: number, state: MonitorState): string[] {
  const resized = stateAfter([{ type: 'resized', size: { columns, rows: 12 } }], state)
  const drawn = renderToString(createElement(Screen, { state: resized, places }), { columns })
  const lines = drawn.split('\n')
  for (const line of lines)
    assert.ok(stringWidth(line) <= columns, `${JSON.stringify(line)} on ${columns} columns`)
  return lines
}

/** Every text of others that a session shows, with an end by which one sees whether it is whole. */
function sessionOf(text: string): MonitorState {
  const title = `${text}END`
  const at = session.created_at
  const reopened: StoredEvent<PlanEvent> = {
    seq: 2,
    problem: null,
    event: {
      ...{ seq: 2, at, type: 'task_status_changed', reason: title, cmd: 'np' },
      payload: { task_id: 'a1', title: 'T', status_before: 'completed', status_after: 'pending' },
    } as PlanEvent,
  }
  const first = { ...task(1, 'in_progress'), title }
  const createdFirst = { ...added(1).event, payload: { task: first } } as PlanEvent
  return stateAfter([
    news({
      session: { ...session, dir_path: `/${title}` },
      goal: { title, description: '', updated_at: at },
      tasks: [first, { ...first, id: '000002', status: 'completed' }],
      isAllTasks: true,
      log: {
        total: 2,
        range: { first: 1, last: 2 },
        events: [{ seq: 1, event: createdFirst, problem: null }, reopened],
      },
    }),
  ])
}

/** The rows of tasks and events: below each other, or side by side. The goal comes first, and may look like one. */
function rowsOf([, ...lines]: readonly string[]): string[] {
  const isRow = (line: string) => /^([⟳☑] |\d\d:\d\d:\d\d )/u.test(line)
  return lines.filter(isRow).flatMap((line) => line.split(/(?= {2}\d\d:\d\d:\d\d )/))
}

/** Texts of others: of letters, of what takes two columns, of what is made of several characters, of what has no width. */
const graphemes = [
  'a',
  'b',
  ' ',
  'タ',
  '一',
  'é',
  'e\u0301',
  '👩‍👩‍👧',
  '🇩🇪',
  '😀',
  '❤️',
  '⟳',
  '\u200B',
  'ก็',
]
const texts = fc
  .string({ unit: fc.constantFrom(...graphemes), maxLength: 140 })
  .map((text) => text.trim())

const samples: readonly [string, string][] = [
  ['wide characters', 'タイトル'.repeat(60)],
  ['wide characters behind a narrow one', `x${'タイトル'.repeat(60)}`],
  ['of each some', '👩‍👩‍👧😀 e\u0301🇩🇪 latin ก็❤️ '.repeat(40)],
]

const isWholeOrCut = (text: string): boolean => /^[^…]*(END|…)$/.test(text)

function assertMarked(columns: number, text: string): void {
  const lines = linesOn(columns, sessionOf(text))
  const where = `on ${columns} columns:\n${lines.join('\n')}`
  const goal = lines[0]?.replace(/ +active$/, '') ?? ''
  assert.ok(isWholeOrCut(goal), `the goal ${where}`)
  assert.ok(plain(`${text}END`).startsWith(goal.replace(/…$/, '')), where)
  assert.match(lines[1] ?? '', /[a-zA-Z…]$/, where)
  const rows = rowsOf(lines)
  assert.equal(rows.length, 4, where)
  for (const row of rows) assert.ok(isWholeOrCut(row.trimEnd()), `${JSON.stringify(row)} ${where}`)
}

describe('what has no room ends in an ellipsis, and no row is wider than the terminal', () => {
  test.each(samples)('%s', (_, text) => {
    for (const columns of widths) assertMarked(columns, text)
  })

  test('any mix of these', () => {
    const columns = fc.integer({ min: 20, max: 120 })
    fc.assert(
      fc.property(texts, columns, (text, width) => assertMarked(width, text)),
      {
        numRuns: 150,
      },
    )
  })

  test.each(samples)('%s in the list of sessions', (_, text) => {
    const goal = { title: text, description: '', updated_at: session.created_at }
    const dir_path = `/${text.replaceAll('/', '')}END`
    const sessions = [{ session: { ...session, dir_path }, goal }]
    for (const columns of widths) {
      const listed = { ...page(0, 0, 1), sessions } as ReturnType<typeof page>
      const row = linesOn(columns, stateAfter([listed], pickerStart()))[2] ?? ''
      assert.match(row, /^› ● [^…]+…/u, `on ${columns} columns`)
      // Of a path the end says most.
      if (columns >= 55) assert.match(row, / {2}…[^…]+END {2}/u, `on ${columns} columns`)
    }
  })
})
