import type {
  Goal,
  PlanEvent,
  PlanTask,
  Session,
  SessionSummary,
  StoredEvent,
} from '../plan/internal.ts'

/** Of a terminal, in characters. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

/** Numbers or positions, the first and the last included. */
export interface Range {
  readonly first: number
  readonly last: number
}

/** Since when the store does not answer, in milliseconds since the epoch, and why. */
export interface Away {
  readonly since: number
  /** Whether it has to be opened again, which takes another monitor. */
  readonly isForGood: boolean
  readonly why: string
}

export type Pane = 'tasks' | 'events'

/**
 * One session as far as it has been read. `top` of a pane is the position of its first row, counted from 0;
 * null means that the pane follows what happens: the log its end, the tasks the one in progress.
 */
export interface SessionState {
  readonly sid: string
  readonly session: Session | null
  readonly goal: Goal | null
  /** In the order in which they were added. */
  readonly tasks: readonly PlanTask[]
  /** By number; only some of a long log. */
  readonly events: ReadonlyMap<number, StoredEvent<PlanEvent>>
  /** The number of the last event. */
  readonly total: number
  readonly isLoaded: boolean
  /** What is wrong with the session itself, in a sentence. */
  readonly problem: string | null
  /** Of an archived session: the one that is active in its directory now. */
  readonly successor: string | null
  readonly pane: Pane
  readonly top: Readonly<Record<Pane, number | null>>
}

/** The list of sessions as far as it has been read; null is a session that can't be read. */
export interface PickerState {
  readonly rows: ReadonlyMap<number, SessionSummary | null>
  /** Null until the first answer. */
  readonly total: number | null
  readonly cursor: number
  /** The session that the cursor is on, which it follows when the list is read again; null where that is not known. */
  readonly sid: string | null
  /** How many sessions there were when the cursor got there; null where none was read yet. */
  readonly totalBefore: number | null
  readonly top: number
}

export interface MonitorState {
  readonly size: Size
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly away: Away | null
  readonly screen: 'session' | 'picker'
  /** Whether the keys are explained in place of it. */
  readonly isHelp: boolean
  readonly session: SessionState | null
  readonly picker: PickerState
}

/** What was read again of a session; what is left out has not changed. */
export interface News {
  readonly session: Session | null
  readonly goal?: Goal | null
  readonly tasks?: readonly PlanTask[]
  /** Whether these are all tasks, and not only some that have changed. */
  readonly isAllTasks?: boolean
  readonly log?: Log
  readonly problem?: string | null
  readonly successor?: string | null
}

/** A part of the log: the events of a range, as far as they are there. */
export interface Log {
  readonly total: number
  readonly range: Range
  readonly events: readonly StoredEvent<PlanEvent>[]
}

export type Command =
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down'
  | 'first'
  | 'last'
  | 'other-pane'
  | 'follow'
  | 'sessions'
  | 'open'
  | 'successor'
  | 'help'
  | 'back'
  | 'refresh'

export type Action =
  | { readonly type: 'command'; readonly command: Command }
  | { readonly type: 'resized'; readonly size: Size }
  | { readonly type: 'time'; readonly now: number }
  | { readonly type: 'news'; readonly sid: string; readonly news: News }
  | {
      readonly type: 'sessions'
      readonly range: Range
      readonly sessions: readonly SessionSummary[]
      readonly total: number
    }
  | { readonly type: 'away'; readonly away: Away }

export const emptyPicker: PickerState = {
  rows: new Map(),
  total: null,
  cursor: 0,
  sid: null,
  totalBefore: null,
  top: 0,
}

export const sessionStateOf = (sid: string): SessionState => ({
  sid,
  session: null,
  goal: null,
  tasks: [],
  events: new Map(),
  total: 0,
  isLoaded: false,
  problem: null,
  successor: null,
  pane: 'tasks',
  top: { tasks: null, events: null },
})

/** With the session that has this id, or with the list of all. */
export const initialState = (sid: string | null, size: Size, now: number): MonitorState => ({
  size,
  now,
  away: null,
  screen: sid === null ? 'picker' : 'session',
  isHelp: false,
  session: sid === null ? null : sessionStateOf(sid),
  // The list opens where one comes from.
  picker: { ...emptyPicker, sid },
})
