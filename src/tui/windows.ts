import type { PlanTask } from '../plan/internal.ts'
import { layoutOf, pickerRows } from './layout.ts'
import { clampTop, lastTop, topShowing, visible, type Window } from './scroll.ts'
import type { MonitorState, PickerState, Range, SessionState, Size } from './state.ts'

/** The tasks in view. Who follows sees the first task in progress, with some of what was done before it. */
export function tasksWindow(size: Size, session: SessionState): Window {
  const part = { height: layoutOf(size, session).tasks, total: session.tasks.length }
  const top = session.top.tasks ?? currentTask(session.tasks) - Math.floor(part.height / 3)
  return { ...part, top: clampTop({ ...part, top }) }
}

/** The events in view. Who follows sees the newest. */
export function eventsWindow(size: Size, session: SessionState): Window {
  const part = { height: layoutOf(size, session).events ?? 0, total: session.total }
  return { ...part, top: clampTop({ ...part, top: session.top.events ?? lastTop(part) }) }
}

/** The sessions in view: always the one that the cursor is on. */
export function pickerWindow(size: Size, { top, total, cursor }: PickerState): Window {
  const window = { top, height: pickerRows(size), total: total ?? 0 }
  return { ...window, top: topShowing(cursor, window) }
}

/** The first task in progress, else the first that is pending, else the end. */
function currentTask(tasks: readonly PlanTask[]): number {
  for (const wanted of ['in_progress', 'pending'])
    for (const [at, { status }] of tasks.entries()) if (status === wanted) return at
  return tasks.length
}

/** How much is read beyond what is in view. */
const aheadMax = 50

/** What has to be read for what is in view. */
export interface Wants {
  /** The session to follow. */
  readonly sid: string | null
  readonly events: Range | null
  readonly sessions: Range | null
}

export function wantsOf({ screen, size, session, picker }: MonitorState): Wants {
  if (screen === 'picker' || !session)
    return { sid: null, events: null, sessions: missingSessions(size, picker) }
  return { sid: session.sid, events: missingEvents(size, session), sessions: null }
}

function missingEvents(size: Size, session: SessionState): Range | null {
  const inView = visible(eventsWindow(size, session))
  if (!inView) return null
  const numbers = { first: inView.first + 1, last: inView.last + 1 }
  if (!isMissing(numbers, session.events)) return null
  return {
    first: Math.max(1, numbers.first - aheadMax),
    last: Math.min(session.total, numbers.last + aheadMax),
  }
}

/** As many as fit the terminal at once, and more only when they come into view. */
function missingSessions(size: Size, picker: PickerState): Range | null {
  const height = Math.max(1, pickerRows(size))
  if (picker.total === null) return { first: 0, last: height - 1 }
  const inView = visible(pickerWindow(size, picker))
  if (!inView || !isMissing(inView, picker.rows)) return null
  return { first: inView.first, last: inView.first + height - 1 }
}

function isMissing({ first, last }: Range, rows: ReadonlyMap<number, unknown>): boolean {
  for (let at = first; at <= last; at++) if (!rows.has(at)) return true
  return false
}
