import { Box, Text } from 'ink'
import { describedRows } from './description.ts'
import type { Layout } from './layout.ts'
import { Ends, Line } from './line.tsx'
import type { SessionState } from './state.ts'
import { timeText } from './times.ts'
import { placeText, plain } from './wording.ts'

/** Canonical paths that have a shorter name. */
export interface Places {
  readonly home: string
  readonly here: string
}

interface HeadProps {
  readonly session: SessionState
  readonly now: number
  readonly places: Places
  readonly layout: Layout
  readonly columns: number
}

/** With fewer columns the state of a session has no room. */
const stateColumnsMin = 24

/** What the session is about. */
export function Head({ session, now, places, layout, columns }: HeadProps) {
  return (
    <>
      {layout.head >= 1 && <Title session={session} columns={columns} />}
      {layout.head >= 2 && (
        <Line columns={columns} parts={[{ text: factsOf(session, now, places), dimColor: true }]} />
      )}
      <Box height={layout.description} flexShrink={0} overflow="hidden">
        <Text dimColor>{describedRows(session.goal?.description ?? '', columns).join('\n')}</Text>
      </Box>
      <Box height={layout.space} flexShrink={0} />
    </>
  )
}

interface TitleProps {
  readonly session: SessionState
  readonly columns: number
}

function Title({ session: { session, goal, isLoaded }, columns }: TitleProps) {
  const text = goal ? plain(goal.title) : isLoaded ? 'No goal yet' : ''
  const colour = session?.state === 'archived' ? 'yellow' : 'green'
  const hasState = columns >= stateColumnsMin && session !== null
  return (
    <Ends
      columns={columns}
      left={{ text, bold: goal !== null, dimColor: goal === null }}
      right={hasState ? [{ text: session.state, colour }] : []}
    />
  )
}

function factsOf({ sid, session }: SessionState, now: number, places: Places): string {
  if (!session) return sid
  const place = placeText(session.dir_path, places)
  return `${place} · started ${timeText(session.created_at, now)} · ${sid}`
}
