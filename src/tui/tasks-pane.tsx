import { Box, Text } from 'ink'
import { glyphs, type PlanTask, type Status, statuses } from '../plan/index.ts'
import { Line, Rule, Tint } from './line.tsx'
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
        <TaskRow key={task.id} task={task} hasId={columns >= idColumnsMin} />
      ))}
      {tasks.length === 0 && isLoaded && (
        <Line>
          <Text dimColor>No tasks yet.</Text>
        </Line>
      )}
    </Box>
  )
}

function TaskRow({ task, hasId }: { readonly task: PlanTask; readonly hasId: boolean }) {
  const { id, title, status } = task
  const isOver = status === 'completed' || status === 'cancelled'
  return (
    <Line>
      <Tint colour={statusColours[status]}>{glyphs[status]}</Tint>
      {hasId && <Text dimColor> {plain(id)}</Text>}
      <Text bold={status === 'in_progress'} dimColor={isOver}>
        {hasId ? '  ' : ' '}
        {plain(title)}
      </Text>
    </Line>
  )
}

/** How many tasks have each status, such as are there. */
function countsOf(tasks: readonly PlanTask[]) {
  const counts = new Map<Status, number>()
  for (const { status } of tasks) counts.set(status, (counts.get(status) ?? 0) + 1)
  const present = statuses.filter((status) => counts.has(status))
  const part = (status: Status) => `${glyphs[status]} ${counts.get(status)}`
  return {
    text: present.map((status) => `  ${part(status)}`).join(''),
    drawn: present.map((status) => (
      <Tint key={status} colour={statusColours[status]}>
        {`  ${part(status)}`}
      </Tint>
    )),
  }
}
