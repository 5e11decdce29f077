import { reducePicker, unread } from './reduce-picker.ts'
import { reduceSession, withNews } from './reduce-session.ts'
import { type Action, type MonitorState, sessionStateOf } from './state.ts'
import { ageText } from './times.ts'

/** The next state: a pure function of all that happens. The same state means that nothing is to be drawn. */
export function reduce(state: MonitorState, action: Action): MonitorState {
  switch (action.type) {
    case 'command':
      return commanded(state, action.command)
    case 'resized':
      return { ...state, size: action.size }
    case 'time':
      return shownTimes(state, action.now) === shownTimes(state, state.now)
        ? state
        : { ...state, now: action.now }
    case 'news':
      return action.sid === state.session?.sid
        ? { ...state, away: null, session: withNews(state.session, action.news, state.size) }
        : state
    case 'sessions':
      return { ...state, away: null, picker: reducePicker(state.picker, action, state.size) }
    case 'away':
      return { ...state, away: { ...action.away, since: state.away?.since ?? action.away.since } }
  }
}

type Commanded = Extract<Action, { type: 'command' }>['command']

function commanded(state: MonitorState, command: Commanded): MonitorState {
  const { screen, session, picker, isHelp } = state
  if (command === 'help') return { ...state, isHelp: !isHelp }
  if (isHelp) return command === 'back' ? { ...state, isHelp: false } : state
  if (screen === 'session' && session) {
    if (command === 'sessions' || command === 'back') return listed(state)
    if (command === 'successor') return session.successor ? shown(state, session.successor) : state
    return { ...state, session: reduceSession(session, command, state.size) }
  }
  if (command === 'back' || command === 'sessions')
    return session ? { ...state, screen: 'session' } : state
  if (command === 'open') return opened(state)
  return { ...state, picker: reducePicker(picker, { type: 'command', command }, state.size) }
}

function opened(state: MonitorState): MonitorState {
  const chosen = state.picker.rows.get(state.picker.cursor)
  return chosen ? shown(state, chosen.session.sid) : state
}

function shown(state: MonitorState, sid: string): MonitorState {
  const session = state.session?.sid === sid ? state.session : sessionStateOf(sid)
  return { ...state, screen: 'session', session, picker: { ...state.picker, sid } }
}

/** The list as it was left, but read again. */
function listed(state: MonitorState): MonitorState {
  return { ...state, screen: 'picker', picker: unread(state.picker) }
}

/** What a screen says that depends on the time. */
function shownTimes({ session }: MonitorState, now: number): string {
  const updated = session?.session?.last_updated_at
  return updated === undefined ? '' : ageText(updated, now)
}
