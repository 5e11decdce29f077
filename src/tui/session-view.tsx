import { Box } from 'ink'
import { EventsPane } from './events-pane.tsx'
import { Footer } from './footer.tsx'
import { layoutOf } from './layout.ts'
import { Head, type Places } from './session-head.tsx'
import type { MonitorState, SessionState } from './state.ts'
import { TasksPane } from './tasks-pane.tsx'
import { ageText, timeText } from './times.ts'
import { eventsWindow, tasksWindow } from './windows.ts'

interface SessionViewProps {
  readonly state: MonitorState
  readonly session: SessionState
  readonly places: Places
}

/** One session: its goal, its tasks, its log. */
export function SessionView({ state, session, places }: SessionViewProps) {
  const { size, now, away } = state
  const { columns } = size
  const layout = layoutOf(size, session)
  const isBeside = layout.tasksColumns !== null
  const tasksColumns = layout.tasksColumns ?? columns
  const gap = isBeside ? 2 : 0
  return (
    <>
      <Head {...{ session, now, places, layout, columns }} />
      <Box flexDirection={isBeside ? 'row' : 'column'} columnGap={gap} flexShrink={0}>
        <TasksPane
          session={session}
          window={tasksWindow(size, session)}
          columns={tasksColumns}
          hasOther={layout.events !== null}
        />
        {layout.events !== null && (
          <EventsPane
            session={session}
            window={eventsWindow(size, session)}
            columns={isBeside ? columns - tasksColumns - gap : columns}
            now={now}
          />
        )}
      </Box>
      <Box flexGrow={1} />
      {layout.footer > 0 && (
        <Footer
          columns={columns}
          away={away}
          problem={session.problem}
          status={statusOf(session, now)}
          news={session.successor === null ? null : successorText}
          keys={keysOf(session, layout.events !== null)}
        />
      )}
    </>
  )
}

const successorText = 'n opens the new session of this directory; this one is archived'

function statusOf({ session, isLoaded }: SessionState, now: number): string {
  if (!session || !isLoaded) return 'Reading…'
  const { last_updated_at, archived_at } = session
  const what = archived_at === null ? 'Updated' : 'Archived'
  return `${what} ${timeText(last_updated_at, now)}, ${ageText(last_updated_at, now)}`
}

function keysOf({ pane, top }: SessionState, hasLog: boolean) {
  const other = pane === 'tasks' ? 'events' : 'tasks'
  const keys: [string, string][] = [['↑↓', 'scroll']]
  if (hasLog) keys.unshift(['tab', other])
  if (top[pane] !== null) keys.push(['f', 'follow'])
  return [...keys, ['l', 'sessions'], ['?', 'help'], ['q', 'quit']] as const
}
