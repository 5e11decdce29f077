import { useState } from 'preact/hooks'
import { statuses } from '../../../src/tree/status.ts'
import { useApi } from '../context.ts'
import { useReading } from '../reading.ts'
import { hrefOf } from '../route.ts'
import { Shown } from '../show/notice.tsx'
import { Tag } from '../show/status.tsx'
import { Line, plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import type { TreeTask } from '../source/api.ts'
import { TreeHead } from './head.tsx'

const pauseMs = 1_500
const cardsStep = 30

/** The same tasks by status, the most urgent first. */
export function Board() {
  const api = useApi()
  const tasks = useReading('tree', 'tree', (signal) => api.treeTasks(signal), { pauseMs })
  return (
    <>
      <TreeHead place="board" onAdded={tasks.again} />
      <Shown reading={tasks} what="the board">
        {({ items }) => (
          <div class="board">
            {statuses.map((status) => (
              <Lane
                key={status}
                status={status}
                tasks={items.filter((task) => task.status === status)}
              />
            ))}
          </div>
        )}
      </Shown>
    </>
  )
}

function Lane({ status, tasks }: { status: string; tasks: readonly TreeTask[] }) {
  const [limit, setLimit] = useState(cardsStep)
  const urgent = [...tasks].sort(
    (a, b) => a.priority - b.priority || (a.updated_at < b.updated_at ? 1 : -1),
  )
  return (
    <section
      class={`lane l-${status}`}
      aria-label={`${status.replaceAll('_', ' ')}, ${tasks.length} tasks`}
    >
      <h2>
        {status.replaceAll('_', ' ')} <span class="soft">{tasks.length.toLocaleString('en')}</span>
      </h2>
      <ul>
        {urgent.slice(0, limit).map((task) => (
          <li key={task.id}>
            <a class="ticket" href={hrefOf(['tree', 'task', task.id])}>
              <Line text={task.title} />
              <span class="soft small">
                P{task.priority} · {task.type}
                {task.claimed_by !== null && ` · ${plain(task.claimed_by)}`} ·{' '}
                <Ago time={task.updated_at} />
              </span>
              {task.tags.length > 0 && (
                <span>
                  {task.tags.slice(0, 4).map((tag) => (
                    <Tag key={tag} tag={plain(tag)} />
                  ))}
                </span>
              )}
            </a>
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
