import { Box } from 'ink'
import type { SessionSummary } from '../plan/internal.ts'
import { fitted, fittedEnd } from './fitted.ts'
import { Footer } from './footer.tsx'
import { Line, Rule, Tint } from './line.tsx'
import { rangeText, visible } from './scroll.ts'
import type { Places } from './session-head.tsx'
import type { MonitorState } from './state.ts'
import { timeText } from './times.ts'
import { pickerWindow } from './windows.ts'
import { placeText, plain } from './wording.ts'

interface PickerViewProps {
  readonly state: MonitorState
  readonly places: Places
}

/** The list of all sessions, of which one can be opened. */
export function PickerView({ state, places }: PickerViewProps) {
  const { size, now, away, picker, session } = state
  const window = pickerWindow(size, picker)
  const { first, last } = visible(window) ?? { first: 0, last: -1 }
  const positions = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  const columns = columnsOf(size.columns)
  return (
    <>
      <Rule
        columns={size.columns}
        title="Sessions"
        isChosen
        right={picker.total === null ? '' : rangeText(window)}
      />
      {size.rows >= 4 && <Cells columns={columns} cells={titles} isDim />}
      {positions.map((at) => (
        <PickerRow
          key={at}
          summary={picker.rows.get(at)}
          isChosen={at === picker.cursor}
          columns={columns}
          show={{ now, places }}
        />
      ))}
      {picker.total === 0 && (
        <Line
          columns={size.columns}
          parts={[{ text: " No sessions yet: 'np s' starts one.", dimColor: true }]}
        />
      )}
      <Box flexGrow={1} />
      {size.rows >= 4 && (
        <Footer
          columns={size.columns}
          away={away}
          problem={null}
          status={picker.total === null ? 'Reading…' : '● active  ○ archived'}
          keys={keysOf(session !== null)}
        />
      )}
    </>
  )
}

const keysOf = (hasSession: boolean) =>
  [
    ['↑↓', 'move'],
    ['r', 'refresh'],
    ...(hasSession ? [['esc', 'back'] as const] : []),
    ['enter', 'open'],
    ['?', 'help'],
    ['q', 'quit'],
  ] as const

interface Cells {
  readonly mark: string
  readonly goal: string
  readonly place: string
  readonly started: string
  readonly updated: string
}

const titles: Cells = {
  ...{ mark: '', goal: 'goal', place: 'directory' },
  ...{ started: 'started', updated: 'updated' },
}

const markColumns = 4
const timeColumns = 'mm-dd hh:mm'.length

/** What has no room has no columns. */
function columnsOf(columns: number): Readonly<Record<keyof Cells, number>> {
  const updated = columns >= 40 ? timeColumns : 0
  const started = columns >= 70 ? timeColumns : 0
  const rest = columns - markColumns - [updated, started].reduce((sum, n) => sum + (n && n + 2), 0)
  const place = columns >= 55 ? Math.floor((rest - 2) * 0.45) : 0
  return { mark: markColumns, goal: rest - (place && place + 2), place, started, updated }
}

interface PickerRowProps {
  readonly summary: SessionSummary | null | undefined
  readonly isChosen: boolean
  readonly columns: Readonly<Record<keyof Cells, number>>
  readonly show: { readonly now: number; readonly places: Places }
}

function PickerRow({ summary, isChosen, columns, show: { now, places } }: PickerRowProps) {
  const mark = isChosen ? '› ' : '  '
  if (!summary) {
    const goal = summary === null ? "A session that can't be read" : '…'
    return <Cells columns={columns} cells={{ ...emptyCells, mark, goal }} isDim />
  }
  const { session, goal } = summary
  const isActive = session.state === 'active'
  return (
    <Cells
      columns={columns}
      cells={{
        mark: `${mark}${isActive ? '● ' : '○ '}`,
        goal: goal ? plain(goal.title) : '(no goal yet)',
        place: placeText(session.dir_path, places),
        started: timeText(session.created_at, now),
        updated: timeText(session.last_updated_at, now),
      }}
      isDim={!isActive}
      isBold={isChosen}
    />
  )
}

const emptyCells: Cells = { mark: '', goal: '', place: '', started: '', updated: '' }

interface CellsProps {
  readonly columns: Readonly<Record<keyof Cells, number>>
  readonly cells: Cells
  readonly isDim?: boolean
  readonly isBold?: boolean
}

function Cells({ columns, cells, isDim = false, isBold = false }: CellsProps) {
  const names = (Object.keys(cells) as (keyof Cells)[]).filter((name) => columns[name] > 0)
  return (
    <Box height={1} flexShrink={0} overflow="hidden">
      {names.map((name, at) => (
        <Box
          key={name}
          width={columns[name]}
          marginLeft={at > 1 ? 2 : 0}
          flexShrink={0}
          overflow="hidden"
        >
          <Tint bold={isBold} dimColor={isDim && !isBold} wrap="truncate">
            {(name === 'place' ? fittedEnd : fitted)(cells[name], columns[name])}
          </Tint>
        </Box>
      ))}
    </Box>
  )
}
