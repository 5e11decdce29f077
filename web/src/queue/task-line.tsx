import { hrefOf } from '../route.ts'
import { Status } from '../show/status.tsx'
import { Id, Line } from '../show/text.tsx'
import { Ago, Countdown } from '../show/time.tsx'
import type { ListedTask } from '../source/source.ts'

/** The cells of a task in a list. */
export const TaskLine = ({ task, tabIndex }: { task: ListedTask; tabIndex?: 0 | -1 }) => (
  <>
    <td class="col-id">
      <a
        class="row-link"
        href={hrefOf(['queue', 'task', task.id])}
        aria-label={`Task ${task.id}`}
        {...(tabIndex === undefined ? {} : { tabIndex })}
      >
        <Id id={task.id} />
      </a>
    </td>
    <td class="col-type">
      <Line text={task.task_type} />
    </td>
    <td class="col-status">
      <Status status={task.status} />
    </td>
    <td class="col-when">
      <When task={task} />
    </td>
    <td class="col-tries number">
      {task.attempt}
      {task.retry_count > 0 && <span class="soft"> ({task.retry_count} again)</span>}
    </td>
    <td class="col-updated">
      <Ago time={task.updated_at} />
    </td>
  </>
)

/** What the task waits for, or who has it until when, or what went wrong. */
function When({ task }: { task: ListedTask }) {
  if (task.status === 'pending')
    return <Countdown to={task.available_at} before="waits" after="can be claimed" />
  if (task.status === 'running')
    return (
      <>
        {task.lease_expires_at && (
          <Countdown to={task.lease_expires_at} before="lease" after="lease expired" />
        )}
        {task.cancel_requested && <span class="soft"> · cancel requested</span>}
      </>
    )
  if (task.status === 'failed' && task.last_error !== null)
    return (
      <span class="error-line" title={task.last_error.slice(0, 1000)}>
        <Line text={task.last_error} />
      </span>
    )
  return null
}

const heads = [
  ['id', 'Task'],
  ['type', 'Type'],
  ['status', 'Status'],
  ['when', 'State'],
  ['tries', 'Attempts'],
  ['updated', 'Updated'],
] as const

export type Column = (typeof heads)[number][0]
export type Order = { readonly column: Column; readonly isDown: boolean }

/** The heads of the columns; where they can be sorted, as buttons. */
export const TaskLineHead = ({
  order,
  onOrder,
}: {
  order?: Order | null
  onOrder?: (column: Column) => void
}) => (
  <tr>
    {heads.map(([column, title]) => {
      const isSorted = order?.column === column
      const sort = isSorted ? (order.isDown ? 'descending' : 'ascending') : undefined
      return (
        <th
          key={column}
          class={column === 'tries' ? 'col-tries number' : `col-${column}`}
          aria-sort={sort}
          scope="col"
        >
          {onOrder ? (
            <button type="button" class="sort" onClick={() => onOrder(column)}>
              {title}
              <span aria-hidden="true">{isSorted ? (order.isDown ? ' ↓' : ' ↑') : ''}</span>
            </button>
          ) : (
            title
          )}
        </th>
      )
    })}
  </tr>
)
