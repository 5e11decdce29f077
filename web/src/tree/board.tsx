import { useState } from 'preact/hooks'
import { type Status, statuses, transitions } from '../../../src/tree/status.ts'
import { useApi } from '../context.ts'
import { useReading } from '../reading.ts'
import { Outcome, useAction } from '../show/action.tsx'
import { useDialog } from '../show/dialog.tsx'
import { Shown } from '../show/notice.tsx'
import { plain } from '../show/text.tsx'
import type { SeenTreeTask, TreeTask } from '../source/api.ts'
import { TreeHead } from './head.tsx'
import { Lane } from './lane.tsx'
import { BlockForm, MoveDialog } from './move.tsx'
import { added, moveTo, nameOf, ofList, shownIn, shownOf } from './moves.ts'

const pauseMs = 1_500

const moved = ({ task }: SeenTreeTask) => ({
  words: `“${plain(task.title)}” is ${nameOf(task.status)} now.`,
  id: task.id,
  state: shownOf(task),
})

/** The same tasks by status, the most urgent first; from lane to lane as the rules allow it, by dragging or by a button. */
export function Board() {
  const api = useApi()
  const open = useDialog()
  const tasks = useReading(['tree'], 'tree', (_, { signal }) => api.treeTasks(signal), { pauseMs })
  const action = useAction(tasks, shownIn)
  const [dragged, setDragged] = useState<string | null>(null)
  const items = tasks.value?.items ?? []
  const held = items.find(({ id }) => id === dragged)
  const ends = (close: () => void) => ({
    onClose: close,
    onDone: (after: SeenTreeTask) => {
      close()
      action.tell(moved(after))
    },
  })
  const ask = (task: TreeTask) => open((close) => <MoveDialog task={task} {...ends(close)} />)
  const move = (id: string, to: Status) => {
    const task = items.find((each) => each.id === id)
    if (!task || !transitions[task.status].includes(to)) return
    const seen = ofList(task)
    if (to === 'blocked') open((close) => <BlockForm seen={seen} {...ends(close)} />)
    else void action.run(() => moveTo(api, seen, to).then(moved))
  }
  return (
    <>
      <TreeHead place="board" onAdded={(task) => action.tell(added(task))} />
      <Outcome action={action} />
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
                  onAsk={ask}
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
    </>
  )
}
