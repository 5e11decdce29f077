import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { rangeText } from '../../src/tui/scroll.ts'
import type { Action, MonitorState } from '../../src/tui/state.ts'
import { eventsWindow, tasksWindow, wantsOf } from '../../src/tui/windows.ts'
import {
  added,
  command,
  commands,
  news,
  noon,
  session,
  stateAfter,
  task,
  wholeNews,
} from './states.ts'

const tasksRange = ({ session, size }: MonitorState) => rangeText(tasksWindow(size, session!))
const eventsRange = ({ session, size }: MonitorState) => rangeText(eventsWindow(size, session!))

// At 80 by 24 twelve tasks are in view, and seven events.
const scrolling: readonly [string, Action[], tasks: string, events: string][] = [
  ['follows the first pending task and the newest event', [], '97–108 of 200', '194–200 of 200'],
  ['up', commands('up'), '96–107 of 200', '194–200 of 200'],
  ['down', commands('down', 'down'), '99–110 of 200', '194–200 of 200'],
  ['page down', commands('page-down'), '108–119 of 200', '194–200 of 200'],
  ['page up', commands('page-up'), '86–97 of 200', '194–200 of 200'],
  ['first', commands('first'), '1–12 of 200', '194–200 of 200'],
  ['up from the first', commands('first', 'up'), '1–12 of 200', '194–200 of 200'],
  ['last', commands('last'), '189–200 of 200', '194–200 of 200'],
  ['down from the last', commands('last', 'down'), '189–200 of 200', '194–200 of 200'],
  ['follow again', commands('first', 'follow'), '97–108 of 200', '194–200 of 200'],
  ['the other pane', commands('other-pane', 'up'), '97–108 of 200', '193–199 of 200'],
  ['the first event', commands('other-pane', 'first'), '97–108 of 200', '1–7 of 200'],
  ['back to tasks', commands('other-pane', 'other-pane', 'first'), '1–12 of 200', '194–200 of 200'],
]

const more: Action = news({
  session,
  tasks: [task(201)],
  log: { total: 201, range: { first: 201, last: 201 }, events: [added(201)] },
})

const growing: readonly [string, Action[], tasks: string, events: string][] = [
  ['the newest event is followed', [], '97–108 of 201', '195–201 of 201'],
  ['what was scrolled to stays', commands('other-pane', 'up'), '97–108 of 201', '193–199 of 201'],
  ['the end is followed', commands('other-pane', 'up', 'down'), '97–108 of 201', '195–201 of 201'],
  ['the last task is not', commands('last'), '189–200 of 201', '195–201 of 201'],
]

describe('a session', () => {
  const whole = news(wholeNews(200, 100))

  test.each(scrolling)('%s', (_, actions, tasks, events) => {
    const state = stateAfter([whole, ...actions])
    assert.deepEqual([tasksRange(state), eventsRange(state)], [tasks, events])
  })

  test.each(growing)('when something is added, %s', (_, actions, tasks, events) => {
    const state = stateAfter([whole, ...actions, more])
    assert.deepEqual([tasksRange(state), eventsRange(state)], [tasks, events])
  })

  test('keys are for the tasks where the log has no place', () => {
    const low: Action = { type: 'resized', size: { columns: 80, rows: 7 } }
    const state = stateAfter([whole, command('other-pane'), low, command('first')])
    assert.equal(tasksRange(state), '1–4 of 200')
  })

  test('the task in progress is followed before a pending one', () => {
    const state = stateAfter([whole, news({ session, tasks: [task(150, 'in_progress')] })])
    assert.equal(tasksRange(state), '146–157 of 200')
    assert.equal(state.session?.tasks[149]?.status, 'in_progress')
  })

  test('tasks stay in their order, whatever order they are read in', () => {
    const state = stateAfter([
      news({ session, tasks: [task(3), task(1)], isAllTasks: true }),
      news({ session, tasks: [task(4), task(2), task(1, 'failed')] }),
    ])
    assert.deepEqual(
      state.session?.tasks.map(({ created_seq, status }) => [created_seq, status]),
      [
        [1, 'failed'],
        [2, 'pending'],
        [3, 'pending'],
        [4, 'pending'],
      ],
    )
  })

  test('what is left out of news stays, a problem until it is said to be over', () => {
    const state = stateAfter([whole, news({ session: null, problem: 'Gone.' })])
    assert.equal(state.session?.session, session)
    assert.equal(state.session?.tasks.length, 200)
    assert.equal(stateAfter([news({ session })], state).session?.problem, 'Gone.')
    assert.equal(stateAfter([news({ session, problem: null })], state).session?.problem, null)
  })

  test('the help opens and closes over any screen, and other keys do nothing there', () => {
    const state = stateAfter([whole])
    const help = stateAfter([command('help')], state)
    assert.equal(help.isHelp, true)
    assert.equal(stateAfter(commands('down', 'sessions', 'open', 'refresh'), help), help)
    for (const key of ['help', 'back'] as const)
      assert.deepEqual(stateAfter([command(key)], help), state)
  })

  test('the new session of its directory opens by its key, once it is known', () => {
    const state = stateAfter([whole])
    assert.equal(stateAfter([command('successor')], state).session?.sid, state.session?.sid)
    const known = stateAfter([news({ session, successor: 'other' })], state)
    const opened = stateAfter([command('successor')], known)
    assert.deepEqual([opened.screen, opened.session?.sid], ['session', 'other'])
    assert.equal(wantsOf(opened).sid, 'other')
  })

  test('news of another session change nothing', () => {
    const state = stateAfter([whole])
    const other: Action = { type: 'news', sid: 'other', news: { session: null, problem: 'No.' } }
    assert.equal(stateAfter([other], state), state)
  })

  test('a store is away since the first time that it failed, until news come', () => {
    const down = { isForGood: false, why: 'down' }
    const away = (since: number): Action => ({ type: 'away', away: { since, ...down } })
    const state = stateAfter([whole, away(5), away(9)])
    assert.deepEqual(state.away, { since: 5, ...down })
    assert.equal(stateAfter([news({ session })], state).away, null)
  })

  test('time passes only where it is seen', () => {
    const state = stateAfter([whole])
    const later = (ms: number): Action => ({ type: 'time', now: noon + ms })
    assert.equal(stateAfter([later(9_000)], state), state)
    assert.equal(stateAfter([later(10_000)], state).now, noon + 10_000)
  })
})

describe('a long log', () => {
  const whole = news(wholeNews(10, 0, 20_000))

  test('is read where it comes into view, and only once', () => {
    const newest = stateAfter([whole])
    assert.equal(wantsOf(newest).events, null)
    const oldest = stateAfter([command('other-pane'), command('first')], newest)
    assert.deepEqual(wantsOf(oldest).events, { first: 1, last: 59 })
    const read = { total: 20_000, range: { first: 1, last: 59 }, events: [1, 2].map(added) }
    const known = stateAfter([news({ session, log: read })], oldest)
    assert.equal(wantsOf(known).events, null)
    assert.match(known.session?.events.get(3)?.problem ?? '', /not there/)
  })

  test('is kept only around what is in view, and at its end', () => {
    const pages = Array.from({ length: 30 }, (_, at) => {
      const first = 10_000 + at * 100
      const events = Array.from({ length: 100 }, (_, n) => added(first + n))
      return news({ session, log: { total: 20_000, range: { first, last: first + 99 }, events } })
    })
    const start = stateAfter([whole, command('other-pane')])
    const middle = { ...start.session!, top: { tasks: null, events: 11_000 } }
    const { session: end } = stateAfter(pages, { ...start, session: middle })
    assert.ok(end!.events.size <= 2_000, `${end!.events.size} events`)
    assert.ok(end!.events.has(11_003) && end!.events.has(20_000) && !end!.events.has(10_000))
  })
})
