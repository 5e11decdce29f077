import { Box } from 'ink'
import { glyphs, type PlanTask, type Status, statuses } from '../plan/internal.ts'
import { Line, type Part, Rule } from './line.tsx'
import { rangeText, type Window } from './scroll.ts'
import type { SessionState } from './state.ts'
import { plain, statusColours } from './wording.ts'

interface TasksPaneProps {
  readonly session: SessionState
  readonly window: Window
  readonly columns: number
  /** Whether there is another pane to choose. */
  readonly hasOther: boolean
}

/** With fewer columns ids have no room. */
const idColumnsMin = 40

export function TasksPane({ session, window, columns, hasOther }: TasksPaneProps) {
  const { tasks, pane, isLoaded } = session
  const shown = tasks.slice(window.top, window.top + window.height)
  return (
    <Box flexDirection="column" width={columns} height={window.height + 1} overflow="hidden">
      <Rule
        columns={columns}
        title="Tasks"
        isChosen={pane === 'tasks' || !hasOther}
        beside={countsOf(tasks)}
        right={rangeText(window)}
      />
      {shown.map((task) => (
        <TaskRow key={task.id} task={task} columns={columns} />
      ))}
      {tasks.length === 0 && isLoaded && (
        <Line columns={columns} parts={[{ text: 'No tasks yet.', dimColor: true }]} />
      )}
    </Box>
  )
}

function TaskRow({ task, columns }: { readonly task: PlanTask; readonly columns: number }) {
  const { id, title, status } = task
  const isOver = status === 'completed' || status === 'cancelled'
  const hasId = columns >= idColumnsMin
  const words = `${hasId ? '  ' : ' '}${plain(title)}`
  return (
    <Line
      columns={columns}
      parts={[
        { text: glyphs[status], colour: statusColours[status] },
        ...(hasId ? [{ text: ` ${plain(id)}`, dimColor: true }] : []),
        { text: words, bold: status === 'in_progress', dimColor: isOver },
      ]}
    />
  )
}

/** How many tasks have each status, such as are there. */
function countsOf(tasks: readonly PlanTask[]): Part[] {
  const counts = new Map<Status, number>()
  for (const { status } of tasks) counts.set(status, (counts.get(status) ?? 0) + 1)
  return statuses
    .filter((status) => counts.has(status))
    .map((status) => ({
      text: `  ${glyphs[status]} ${counts.get(status)}`,
      colour: statusColours[status],
    }))
}
