import type { PlanEvent, PlanTask, Session, Status, StoredEvent } from '../../src/plan/index.ts'
import { reduce } from '../../src/tui/reduce.ts'
import {
  type Action,
  type Command,
  initialState,
  type MonitorState,
  type News,
} from '../../src/tui/state.ts'

export const sid = '01M7G0S0X0WMWM2QNYQ8ZY3JSC'
export const noon = Date.parse('2026-11-15T12:00:00Z')
const at = new Date(noon).toISOString()

export const session: Session = {
  sid,
  dir_path: '/srv/plans',
  dir_hash: '00',
  state: 'active',
  created_at: at,
  archived_at: null,
  last_updated_at: at,
}

export const task = (number: number, status: Status = 'pending'): PlanTask => ({
  id: number.toString(16).padStart(6, '0'),
  title: `Task ${number}`,
  description: '',
  status,
  created_at: at,
  updated_at: at,
  created_seq: number,
})

export const added = (seq: number): StoredEvent<PlanEvent> => ({
  seq,
  event: { seq, at, type: 'task_added', reason: null, cmd: 'np', payload: { task: task(seq) } },
  problem: null,
})

export const numbers = (count: number, first = 1): number[] =>
  Array.from({ length: count }, (_, at) => first + at)

/** A session with so many tasks, some of them done, and the newest 200 of so many events. */
export const wholeNews = (tasks: number, done: number, events = tasks): News => ({
  session,
  goal: { title: 'Ship', description: '', updated_at: at },
  tasks: numbers(tasks).map((number) => task(number, number <= done ? 'completed' : 'pending')),
  isAllTasks: true,
  log: {
    total: events,
    range: { first: Math.max(1, events - 199), last: events },
    events: numbers(Math.min(200, events), Math.max(1, events - 199)).map(added),
  },
})

export const news = (news: News): Action => ({ type: 'news', sid, news })
export const command = (command: Command): Action => ({ type: 'command', command })
export const commands = (...all: Command[]): Action[] => all.map(command)

/** A terminal of 80 by 24 with this session, after these actions. */
export const stateAfter = (actions: readonly Action[], from = sessionStart()): MonitorState =>
  actions.reduce(reduce, from)

export const sessionStart = (): MonitorState => initialState(sid, { columns: 80, rows: 24 }, noon)

export const pickerStart = (): MonitorState => initialState(null, { columns: 80, rows: 24 }, noon)

/** A page of a list of so many sessions, of which the first three are active. */
export const page = (first: number, last: number, total: number): Action => ({
  type: 'sessions',
  range: { first, last },
  sessions: numbers(Math.min(last, total - 1) - first + 1, first).map((number) => ({
    session: {
      ...session,
      sid: `${sid.slice(0, 20)}${String(number).padStart(6, '0')}`,
      state: number < 3 ? 'active' : 'archived',
    },
    goal: number % 2 ? null : { title: `Goal ${number}`, description: '', updated_at: at },
  })),
  total,
})
