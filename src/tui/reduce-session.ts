import type { PlanEvent, PlanTask, StoredEvent } from '../plan/internal.ts'
import { layoutOf } from './layout.ts'
import { lastTop, type Step, stepped, visible, type Window } from './scroll.ts'
import type { Command, Log, News, Pane, SessionState, Size } from './state.ts'
import { eventsWindow, tasksWindow } from './windows.ts'

/** How many events are kept, beside those near what is in view. */
const eventsKeptMax = 2_000
const eventsKeptAround = 500

export function reduceSession(session: SessionState, command: Command, size: Size): SessionState {
  const { top } = session
  // A terminal may be too low for the log.
  const pane = layoutOf(size, session).events === null ? 'tasks' : session.pane
  switch (command) {
    case 'other-pane':
      return { ...session, pane: pane === 'tasks' ? 'events' : 'tasks' }
    case 'follow':
      return { ...session, top: { ...top, [pane]: null } }
    case 'up':
    case 'down':
    case 'page-up':
    case 'page-down':
    case 'first':
    case 'last': {
      const window = pane === 'tasks' ? tasksWindow(size, session) : eventsWindow(size, session)
      return { ...session, top: { ...top, [pane]: scrolled(pane, command, window) } }
    }
    default:
      return session
  }
}

/** The end of the log is where it grows: who scrolls there follows it again. */
function scrolled(pane: Pane, step: Step, window: Window): number | null {
  const last = lastTop(window)
  const top = Math.min(last, stepped(window.top, step, { ...window, total: last + 1 }))
  return pane === 'events' && top === last ? null : top
}

/** The session with what was read again. */
export function withNews(before: SessionState, news: News, size: Size): SessionState {
  const problem = news.problem === undefined ? before.problem : news.problem
  const after = {
    ...before,
    // What is gone stays in view as it was last; the problem says so.
    session: news.session ?? before.session,
    goal: news.goal === undefined ? before.goal : news.goal,
    tasks: news.tasks
      ? withTasks(before.tasks, news.tasks, news.isAllTasks ?? false)
      : before.tasks,
    isLoaded: before.isLoaded || news.log !== undefined,
    problem,
    successor: news.successor === undefined ? before.successor : news.successor,
  }
  return news.log ? withLog(after, news.log, size) : after
}

function withTasks(
  before: readonly PlanTask[],
  read: readonly PlanTask[],
  isAll: boolean,
): readonly PlanTask[] {
  if (isAll) return read.toSorted(byOrder)
  const changed = new Map(read.map((task) => [task.id, task]))
  const kept = before.map((task) => {
    const now = changed.get(task.id)
    changed.delete(task.id)
    return now ?? task
  })
  return changed.size === 0 ? kept : [...kept, ...changed.values()].sort(byOrder)
}

const byOrder = (a: PlanTask, b: PlanTask): number =>
  a.created_seq - b.created_seq || (a.id < b.id ? -1 : 1)

function withLog(session: SessionState, { total, range, events }: Log, size: Size): SessionState {
  const known = new Map(session.events)
  for (let seq = range.first; seq <= Math.min(range.last, total); seq++)
    known.set(seq, { seq, event: null, problem: 'it is not there' })
  for (const event of events) known.set(event.seq, event)
  const after = { ...session, events: known, total }
  return known.size > eventsKeptMax ? { ...after, events: near(after, size) } : after
}

/** Those around what is in view, and the newest. */
function near(session: SessionState, size: Size): Map<number, StoredEvent<PlanEvent>> {
  const { first, last } = visible(eventsWindow(size, session)) ?? { first: 0, last: 0 }
  const isNear = (seq: number) =>
    (seq >= first - eventsKeptAround && seq <= last + eventsKeptAround) ||
    seq > session.total - eventsKeptAround
  return new Map([...session.events].filter(([seq]) => isNear(seq)))
}
