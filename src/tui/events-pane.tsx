import { Box } from 'ink'
import { Line, Rule } from './line.tsx'
import { rangeText, visible, type Window } from './scroll.ts'
import type { SessionState } from './state.ts'
import { timeText } from './times.ts'
import { type EventWords, eventWords, plain, whatColumns } from './wording.ts'

interface EventsPaneProps {
  readonly session: SessionState
  readonly window: Window
  readonly columns: number
  readonly now: number
}

/** With fewer columns ids have no room, and with still fewer words. */
const idColumnsMin = 70
const whatColumnsMin = 50

export function EventsPane({ session, window, columns, now }: EventsPaneProps) {
  const rows = rowsOf(session, window, now)
  // Times of today are shorter: the column is as wide as what is in view.
  const timeColumns = Math.max(...rows.map(({ time }) => time.length), 'hh:mm:ss'.length)
  return (
    <Box flexDirection="column" width={columns} height={window.height + 1} overflow="hidden">
      <Rule
        columns={columns}
        title="Events"
        isChosen={session.pane === 'events'}
        right={rangeText(window)}
      />
      {rows.map(({ seq, time, words }) => (
        <EventRow key={seq} time={time.padEnd(timeColumns)} words={words} columns={columns} />
      ))}
      {session.total === 0 && session.isLoaded && (
        <Line columns={columns} parts={[{ text: 'Nothing has happened yet.', dimColor: true }]} />
      )}
    </Box>
  )
}

interface Row {
  readonly seq: number
  readonly time: string
  /** Null while it is being read. */
  readonly words: EventWords | null
}

function rowsOf({ events }: SessionState, window: Window, now: number): Row[] {
  const { first, last } = visible(window) ?? { first: 0, last: -1 }
  return Array.from({ length: last - first + 1 }, (_, at): Row => {
    const seq = first + 1 + at
    const stored = events.get(seq)
    const words = stored ? eventWords(stored) : null
    return { seq, time: words?.at ? timeText(words.at, now) : '', words }
  })
}

interface EventRowProps extends Omit<Row, 'seq'> {
  readonly columns: number
}

function EventRow({ time, words, columns }: EventRowProps) {
  if (!words) return <Line columns={columns} parts={[{ text: '…', dimColor: true }]} />
  const { glyph, colour, what, id, title, reason } = words
  const shown = columns >= whatColumnsMin ? what.padEnd(whatColumns + 1) : ''
  const hasId = columns >= idColumnsMin && id !== ''
  return (
    <Line
      columns={columns}
      parts={[
        { text: `${time} `, dimColor: true },
        { text: `${glyph} ${shown}`, colour },
        ...(hasId ? [{ text: `${plain(id)}  `, dimColor: true }] : []),
        { text: plain(title) },
        ...(reason === null ? [] : [{ text: ` — ${plain(reason)}`, dimColor: true }]),
      ]}
    />
  )
}
