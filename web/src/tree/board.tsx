import { useState } from 'preact/hooks'
import { type Status, statuses, transitions } from '../../../src/tree/status.ts'
import { useApi } from '../context.ts'
import { useReading } from '../reading.ts'
import { Ask } from '../show/form.tsx'
import { Outcome, Shown, useDoing } from '../show/notice.tsx'
import { plain } from '../show/text.tsx'
import type { TreeTask } from '../source/api.ts'
import { TreeHead } from './head.tsx'
import { Lane } from './lane.tsx'
import { moveTo, nameOf } from './moves.ts'

const pauseMs = 1_500

/** A move that waits for the reason of it. */
interface Asking {
  readonly task: TreeTask
  readonly to: Status
}

/** The same tasks by status, the most urgent first; from lane to lane as the rules allow it, by dragging or by a button. */
export function Board() {
  const api = useApi()
  const doing = useDoing()
  const tasks = useReading('tree', 'tree', (signal) => api.treeTasks(signal), { pauseMs })
  const [dragged, setDragged] = useState<string | null>(null)
  const [asking, setAsking] = useState<Asking | null>(null)
  const items = tasks.value?.items ?? []
  const held = items.find(({ id }) => id === dragged)
  const run = async ({ task, to }: Asking, reason: string) => {
    setAsking(null)
    await doing.run(`“${plain(task.title)}” is ${nameOf(to)} now.`, () =>
      moveTo(api, task, to, reason),
    )
    await tasks.again()
  }
  const move = (id: string, to: Status) => {
    const task = items.find((each) => each.id === id)
    if (!task || !transitions[task.status].includes(to)) return
    if (to === 'blocked') setAsking({ task, to })
    else void run({ task, to }, '')
  }
  return (
    <>
      <TreeHead place="board" onAdded={tasks.again} />
      <Outcome doing={doing} />
      <Shown reading={tasks} what="the board">
        {(value) => (
          <>
            <div class="board">
              {statuses.map((status) => (
                <Lane
                  key={status}
                  status={status}
                  tasks={value.items.filter((task) => task.status === status)}
                  isTarget={held ? transitions[held.status].includes(status) : null}
                  onDrag={setDragged}
                  onMove={move}
                />
              ))}
            </div>
            <p class="soft small" role="status">
              Drag a task to another lane, or use its Move button.
              {value.items.length < value.total &&
                ` The first ${value.items.length.toLocaleString('en')} of ${value.total.toLocaleString('en')} tasks are shown.`}
            </p>
          </>
        )}
      </Shown>
      {asking && (
        <Ask
          title={`${plain(asking.task.title)}: ${nameOf(asking.to)}`}
          label="Reason"
          isOptional
          button="Block"
          onDone={(reason) => void run(asking, reason)}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  )
}
