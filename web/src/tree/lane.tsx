import { type Status, transitions } from '../../../src/tree/status.ts'
import { useKept } from '../entry.ts'
import { hrefOf } from '../route.ts'
import { useArrows } from '../show/arrows.ts'
import { dragging, dropping } from '../show/drag.ts'
import { Tag } from '../show/status.tsx'
import { Line, plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import type { TreeTask } from '../source/api.ts'
import { nameOf } from './moves.ts'

const cardsStep = 30
const tagsShown = 4

type Move = (id: string, to: Status) => void
type Ask = (task: TreeTask) => void

/** The tasks of one status. `isTarget`: whether what is being dragged may be dropped here; null while nothing is. */
export function Lane({
  status,
  tasks,
  isTarget,
  onDrag,
  onMove,
  onAsk,
}: {
  status: Status
  tasks: readonly TreeTask[]
  isTarget: boolean | null
  onDrag: (id: string | null) => void
  onMove: Move
  /** Asks where to move a task. */
  onAsk: Ask
}) {
  const [limit, setLimit] = useKept(`cards of ${status}`, cardsStep)
  const list = useArrows<HTMLUListElement>(status)
  const urgent = [...tasks].sort(
    (a, b) => a.priority - b.priority || (a.updated_at < b.updated_at ? 1 : -1),
  )
  const shade = isTarget === null ? '' : isTarget ? ' is-target' : ' is-closed'
  return (
    <section
      class={`lane l-${status}${shade}`}
      aria-label={`${nameOf(status)}, ${tasks.length} tasks`}
      {...(isTarget === false ? {} : dropping((id) => onMove(id, status)))}
    >
      <h2>
        {nameOf(status)} <span class="soft">{tasks.length.toLocaleString('en')}</span>
      </h2>
      <ul ref={list}>
        {urgent.slice(0, limit).map((task) => (
          <li key={task.id} data-row={task.id} class="ticket" {...dragging(task.id, onDrag)}>
            <Ticket task={task} onAsk={onAsk} />
          </li>
        ))}
      </ul>
      {tasks.length === 0 && <p class="soft small">None.</p>}
      {tasks.length > limit && (
        <button type="button" class="link" onClick={() => setLimit(limit + cardsStep)}>
          {tasks.length - limit} more
        </button>
      )}
    </section>
  )
}

const Ticket = ({ task, onAsk }: { task: TreeTask; onAsk: Ask }) => (
  <>
    <a class="ticket-title" href={hrefOf(['tree', 'task', task.id])} draggable={false}>
      <Line text={task.title} />
    </a>
    <p class="soft small">
      P{task.priority} · {task.type}
      {task.claimed_by !== null && ` · ${plain(task.claimed_by)}`}
    </p>
    {task.tags.length > 0 && (
      <p>
        {task.tags.slice(0, tagsShown).map((tag) => (
          <Tag key={tag} tag={plain(tag)} />
        ))}
      </p>
    )}
    <p class="ticket-foot soft small">
      <Ago time={task.updated_at} />
      {transitions[task.status].length > 0 && (
        <button
          type="button"
          class="link"
          aria-label={`Move ${plain(task.title)}`}
          onClick={() => onAsk(task)}
        >
          Move
        </button>
      )}
    </p>
  </>
)
