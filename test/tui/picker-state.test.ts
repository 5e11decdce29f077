import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { rangeText } from '../../src/tui/scroll.ts'
import type { Action, MonitorState } from '../../src/tui/state.ts'
import { initialState } from '../../src/tui/state.ts'
import { pickerWindow, wantsOf } from '../../src/tui/windows.ts'
import {
  command,
  commands,
  noon,
  page,
  pickerStart,
  sessionStart,
  sid,
  stateAfter,
} from './states.ts'

const seen = ({ picker, size }: MonitorState) =>
  `${rangeText(pickerWindow(size, picker))}, at ${picker.cursor + 1}`

// At 80 by 24 twenty-one sessions are in view.
const moving: readonly [string, Action[], string][] = [
  ['starts at the first', [], '1–21 of 50, at 1'],
  ['down', commands('down', 'down'), '1–21 of 50, at 3'],
  ['up from the first', commands('up'), '1–21 of 50, at 1'],
  ['page down', commands('page-down'), '1–21 of 50, at 21'],
  ['page down twice', commands('page-down', 'page-down'), '21–41 of 50, at 41'],
  ['last', commands('last'), '30–50 of 50, at 50'],
  ['last and up', commands('last', 'page-up'), '30–50 of 50, at 30'],
  ['last and first', commands('last', 'first'), '1–21 of 50, at 1'],
  ['a smaller terminal', [...commands('last'), resized(10)], '44–50 of 50, at 50'],
]

function resized(rows: number): Action {
  return { type: 'resized', size: { columns: 80, rows } }
}

const size = { columns: 80, rows: 24 }

describe('the list of sessions', () => {
  const first = page(0, 20, 50)

  test.each(moving)('%s', (_, actions, expected) => {
    assert.equal(seen(stateAfter([first, ...actions], pickerStart())), expected)
  })

  test('asks for as many as fit the terminal, and for more when they come into view', () => {
    assert.deepEqual(wantsOf(pickerStart()).sessions, { first: 0, last: 20 })
    const known = stateAfter([first], pickerStart())
    assert.equal(wantsOf(known).sessions, null)
    const next = stateAfter(commands('page-down', 'page-down'), known)
    assert.deepEqual(wantsOf(next).sessions, { first: 20, last: 40 })
    assert.equal(wantsOf(stateAfter([page(20, 40, 50)], next)).sessions, null)
  })

  test('what can not be read is not asked for again', () => {
    const { type, ...short } = page(0, 20, 50) as Extract<Action, { type: 'sessions' }>
    const state = stateAfter([{ type, ...short, sessions: short.sessions.slice(2) }], pickerStart())
    assert.equal(state.picker.rows.get(20), null)
    assert.equal(wantsOf(state).sessions, null)
    assert.equal(stateAfter(commands('page-down', 'open'), state).screen, 'picker')
  })

  test('a list that has changed its length is read anew where it is in view', () => {
    const state = stateAfter([first, ...commands('last'), page(29, 49, 48)], pickerStart())
    assert.deepEqual([seen(state), state.picker.rows.size], ['28–48 of 48, at 48', 19])
    assert.deepEqual(wantsOf(state).sessions, { first: 27, last: 47 })
  })

  test('refreshes on demand and stays where it is', () => {
    const state = stateAfter([first, ...commands('page-down', 'refresh')], pickerStart())
    assert.deepEqual(wantsOf(state).sessions, { first: 0, last: 20 })
    assert.equal(seen(stateAfter([first], state)), '1–21 of 50, at 21')
  })

  test('opens one, and goes back to it', () => {
    const opened = stateAfter([first, ...commands('down', 'open')], pickerStart())
    const openedSid = opened.session?.sid
    assert.deepEqual([opened.screen, openedSid?.slice(-6)], ['session', '000001'])
    assert.deepEqual(wantsOf(opened).sid, openedSid)
    const list = stateAfter([command('sessions')], opened)
    assert.deepEqual([list.screen, list.picker.total, wantsOf(list).sid], ['picker', null, null])
    for (const key of commands('back', 'sessions')) {
      const back = stateAfter([key], list)
      assert.deepEqual([back.screen, back.session], ['session', opened.session])
    }
    // Esc in a session opens the list as well.
    assert.equal(stateAfter([command('back')], opened).screen, 'picker')
  })

  const shifted = (by: number): Action => {
    const all = page(0, 20, 50) as Extract<Action, { type: 'sessions' }>
    const rows = all.sessions
    return { ...all, sessions: [...rows.slice(-by), ...rows.slice(0, -by)] }
  }

  /** How one leaves the list and comes back to it. */
  const returning: readonly [string, Action[]][] = [
    ['by opening a session', commands('open', 'sessions')],
    ['by opening a session and Esc', commands('open', 'back')],
    ['by going back', [...commands('open', 'back', 'back', 'sessions')]],
    ['by a refresh', commands('refresh')],
    ['by a key too many before it is read', commands('open', 'sessions', 'down', 'page-down')],
  ]
  test.each(returning)('keeps its row %s, also where the list has changed', (_, actions) => {
    const left = stateAfter([first, ...commands('down', 'down', 'down')], pickerStart())
    const chosen = left.picker.rows.get(3)?.session.sid
    const back = stateAfter(actions, left)
    assert.deepEqual([back.screen, back.picker.total], ['picker', null])
    for (const [read, row] of [
      [first, 3],
      [shifted(2), 5],
    ] as const) {
      const { picker } = stateAfter([read], back)
      assert.deepEqual([picker.cursor, picker.rows.get(row)?.session.sid], [row, chosen])
    }
  })

  test('opens on the row of the session that one comes from', () => {
    const { sid: fourth } = (page(0, 20, 50) as Extract<Action, { type: 'sessions' }>).sessions[4]!
      .session
    const state = stateAfter([command('sessions'), first], initialState(fourth, size, noon))
    assert.equal(state.picker.cursor, 4)
  })

  test('keeps a row far down, which is read after the start of the list', () => {
    const far = stateAfter(
      [first, command('last'), page(29, 49, 50), command('open')],
      pickerStart(),
    )
    const again = stateAfter([command('sessions'), first], far)
    assert.equal(again.picker.cursor, 49)
    const { picker } = stateAfter([page(29, 49, 50)], again)
    assert.deepEqual([picker.cursor, picker.sid], [49, far.session?.sid])
  })

  test('keeps a row at the edge of what is read when new sessions come in above', () => {
    const all = page(0, 49, 50) as Extract<Action, { type: 'sessions' }>
    const withNew = { ...all, total: 53, sessions: [...all.sessions.slice(47), ...all.sessions] }
    const read = (first: number, last: number): Action => ({
      ...withNew,
      range: { first, last },
      sessions: withNew.sessions.slice(first, last + 1),
    })
    const left = stateAfter([first, command('page-down')], pickerStart())
    const chosen = left.picker.sid
    assert.equal(left.picker.cursor, 20)
    const [seenFirst, wanted] = [read(0, 20), { first: 3, last: 23 }]
    const again = stateAfter([command('refresh'), seenFirst], left)
    assert.deepEqual([again.picker.cursor, wantsOf(again).sessions], [23, wanted])
    const { picker } = stateAfter([read(wanted.first, wanted.last)], again)
    assert.deepEqual([picker.cursor, picker.sid, chosen], [23, chosen, chosen])
  })

  test('without a session there is nothing to go back to, and without rows nothing to open', () => {
    for (const key of commands('back', 'sessions', 'open')) {
      const state = pickerStart()
      assert.equal(stateAfter([key], state), state)
    }
  })

  test('opening the session that was left keeps what is known of it', () => {
    const state = stateAfter([command('sessions'), page(0, 20, 2)], sessionStart())
    const own = {
      ...state.picker.rows.get(0)!,
      session: { ...state.picker.rows.get(0)!.session, sid },
    }
    const picker = { ...state.picker, rows: new Map([[0, own]]) }
    const opened = stateAfter([command('open')], { ...state, picker })
    assert.equal(opened.session, state.session)
  })
})
