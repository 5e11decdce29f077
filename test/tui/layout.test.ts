import assert from 'node:assert/strict'
import { test } from 'vitest'
import { layoutOf } from '../../src/tui/layout.ts'
import { rangeText, stepped, topShowing, visible } from '../../src/tui/scroll.ts'
import { news, stateAfter, wholeNews } from './states.ts'

const long = 'word '.repeat(100)

/** Columns, rows, tasks, description; then rows of head, description, tasks, log, and columns of tasks. */
const layouts: readonly [
  [number, number, number, string],
  [number, number, number, number | null, number | null],
][] = [
  [
    [80, 24, 200, ''],
    [2, 0, 12, 7, null],
  ],
  [
    [80, 24, 200, 'short'],
    [2, 1, 11, 7, null],
  ],
  [
    [80, 24, 200, long],
    [2, 2, 11, 6, null],
  ],
  [
    [80, 24, 5, ''],
    [2, 0, 5, 14, null],
  ],
  [
    [80, 24, 0, ''],
    [2, 0, 1, 18, null],
  ],
  [
    [80, 12, 200, long],
    [2, 0, 4, 3, null],
  ],
  [
    [80, 8, 200, long],
    [1, 0, 1, 3, null],
  ],
  [
    [80, 7, 200, long],
    [1, 0, 4, null, null],
  ],
  [
    [80, 3, 200, long],
    [1, 0, 1, null, null],
  ],
  [
    [80, 1, 200, long],
    [0, 0, 0, null, null],
  ],
  [
    [120, 40, 200, long],
    [2, 2, 33, 33, 60],
  ],
  [
    [120, 6, 200, ''],
    [1, 0, 3, 3, 60],
  ],
]

test.each(layouts)('%j', ([columns, rows, tasks, description], expected) => {
  const { session } = stateAfter([news(wholeNews(tasks, 0))])
  const goal = { title: 'Ship', description, updated_at: '' }
  const layout = layoutOf({ columns, rows }, { ...session!, goal })
  const { head, events, tasksColumns } = layout
  assert.deepEqual([head, layout.description, layout.tasks, events, tasksColumns], expected)
})

test('every part has its place on every terminal', () => {
  const { session } = stateAfter([news(wholeNews(30, 0))])
  for (let rows = 1; rows <= 60; rows++)
    for (const columns of [1, 40, 80, 110, 200]) {
      const layout = layoutOf({ columns, rows }, session!)
      const { head, description, space, footer, tasks, events, tasksColumns } = layout
      const log = events === null || tasksColumns !== null ? 0 : events + 1
      const used = head + description + space + footer + tasks + 1 + log
      assert.ok(used <= rows, `${columns}×${rows}: ${used} rows are used`)
      assert.ok(tasks >= 0 && (events ?? 0) >= 0)
    }
})

test('windows: what is in view, and where steps lead', () => {
  assert.equal(rangeText({ top: 11, height: 20, total: 200 }), '12–31 of 200')
  assert.equal(rangeText({ top: 500, height: 20, total: 200 }), '181–200 of 200')
  assert.equal(rangeText({ top: 0, height: 20, total: 0 }), '0')
  assert.equal(rangeText({ top: 3, height: 0, total: 9 }), '9')
  assert.equal(visible({ top: 0, height: 0, total: 9 }), null)
  assert.equal(stepped(0, 'last', { height: 5, total: 0 }), 0)
  assert.equal(stepped(3, 'page-down', { height: 0, total: 9 }), 4)
  assert.equal(topShowing(7, { top: 0, height: 5, total: 9 }), 3)
  assert.equal(topShowing(2, { top: 4, height: 5, total: 9 }), 2)
})
