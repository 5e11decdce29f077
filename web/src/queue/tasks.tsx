import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { statuses } from '../../../src/queue/task.ts'
import { useConnected } from '../context.ts'
import { type Reading, useReading } from '../reading.ts'
import type { Route } from '../route.ts'
import { Empty, Shown } from '../show/notice.tsx'
import { Rows } from '../show/rows.tsx'
import { counted } from '../show/text.tsx'
import { clockTime } from '../show/time.tsx'
import { type Failure, failureOf } from '../source/failure.ts'
import type { ListedTask, TaskFilter, TaskPage } from '../source/source.ts'
import { Filters } from './filters.tsx'
import { QueueHead } from './head.tsx'
import { LeftOut } from './left-out.tsx'
import { type Column, type Order, TaskLine, TaskLineHead } from './task-line.tsx'

const pageSize = 100
/** Further pages are larger, where that costs one request. */
const nextSize = { server: 500, bucket: 100 }
/** As many as one request reads again. With more the list stays as it is until its reader wants it renewed. */
const renewedMax = 1_000

const filterOf = ({ query }: Route): TaskFilter => ({
  status: statuses.find((status) => status === query['status']),
  type: query['type'] || undefined,
  shard: query['shard'] || undefined,
  text: query['text'] || undefined,
})

export function QueueTasks({ route }: { route: Route }) {
  const filter = filterOf(route)
  const key = JSON.stringify(filter)
  const { source } = useConnected()
  const wanted = useRef(pageSize)
  const page = useReading(
    `tasks ${key}`,
    'queue',
    (signal) => source.queue.list(filter, null, Math.min(wanted.current, renewedMax), signal),
    { isHeld: () => wanted.current > renewedMax },
  )
  const more = useMore(filter, key, page, wanted)
  const [renewals, setRenewals] = useState(0)
  const renew = () => {
    wanted.current = pageSize
    // Another list, which begins at its top.
    setRenewals(renewals + 1)
    void page.again()
  }
  return (
    <>
      <QueueHead place="tasks" />
      <Filters filter={filter} />
      {page.isBehind && <Behind asOfMs={page.asOfMs} onRenew={renew} />}
      <Shown reading={page} what="the tasks">
        {(value) => <List key={renewals} page={value} onMore={more.load} failure={more.failure} />}
      </Shown>
    </>
  )
}

/** A list of thousands does not change under whoever reads it; that it has changed is told. */
const Behind = ({ asOfMs, onRenew }: { asOfMs: number | null; onRenew: () => void }) => (
  <div class="notice stale" role="status">
    <p>
      <strong>As of {clockTime(asOfMs ?? 0)}: there is news since.</strong> So long a list is not
      renewed by itself.
    </p>
    <button type="button" onClick={onRenew}>
      Show the newest
    </button>
  </div>
)

/** Further pages go to the end of what is there. */
function useMore(
  filter: TaskFilter,
  key: string,
  page: Reading<TaskPage>,
  wanted: { current: number },
) {
  const { source } = useConnected()
  const isLoading = useRef(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  // Another filter begins anew.
  useEffect(() => {
    wanted.current = pageSize
    setFailure(null)
  }, [key, wanted])
  const load = useCallback(async () => {
    const { value } = page
    if (!value || value.cursor === null || isLoading.current) return
    isLoading.current = true
    try {
      const next = await source.queue.list(filter, value.cursor, nextSize[source.kind])
      const tasks = [...value.tasks, ...next.tasks]
      wanted.current = Math.ceil(tasks.length / pageSize) * pageSize
      page.set({ ...next, tasks, corrupt: [...value.corrupt, ...next.corrupt] })
      setFailure(null)
    } catch (error) {
      setFailure(failureOf(error))
    } finally {
      isLoading.current = false
    }
  }, [page, source, filter, wanted])
  return { load, failure }
}

function List({
  page,
  onMore,
  failure,
}: {
  page: TaskPage
  onMore: () => void
  failure: Failure | null
}) {
  const [order, setOrder] = useState<Order | null>(null)
  const { tasks, cursor, isShort, corrupt } = page
  const items = useMemo(() => sorted(tasks, order), [tasks, order])
  if (tasks.length === 0 && cursor === null && corrupt.length === 0)
    return <Empty title="No task is like that.">Change the filter, or submit a task.</Empty>
  const onOrder = (column: Column) => setOrder(nextOrder(order, column))
  return (
    <>
      <LeftOut page={page} />
      <Rows
        class="task-rows"
        label="Tasks"
        head={<TaskLineHead order={order} onOrder={onOrder} />}
        items={items}
        hasMore={cursor !== null && failure === null && !isShort}
        onMore={onMore}
        keyOf={({ id }) => id}
        row={(task) => <TaskLine task={task} />}
      />
      <p class="soft small" role="status">
        {counted(tasks.length, 'task')}
        {cursor === null ? ', all of them' : ' loaded; there are more'}, newest first
        {order && `; sorted among these by ${order.column}`}.
        {isShort && (
          <>
            {' '}
            Few are like that among those that were looked at.{' '}
            <button type="button" class="link" onClick={onMore}>
              Look further
            </button>
          </>
        )}
        {failure && (
          <>
            {' '}
            {failure.message}{' '}
            <button type="button" class="link" onClick={onMore}>
              try again
            </button>
          </>
        )}
      </p>
    </>
  )
}

/** Down, up, then as they came. */
function nextOrder(order: Order | null, column: Column): Order | null {
  if (order?.column !== column) return { column, isDown: true }
  return order.isDown ? { column, isDown: false } : null
}

const values: Readonly<Record<Column, (task: ListedTask) => string | number>> = {
  id: ({ id }) => id,
  type: ({ task_type }) => task_type,
  status: ({ status }) => statuses.indexOf(status),
  when: ({ status, available_at, lease_expires_at }) =>
    Date.parse((status === 'running' && lease_expires_at) || available_at),
  tries: ({ attempt }) => attempt,
  updated: ({ updated_at }) => Date.parse(updated_at),
}

function sorted(tasks: readonly ListedTask[], order: Order | null): readonly ListedTask[] {
  if (order === null) return tasks
  const value = values[order.column]
  const sign = order.isDown ? -1 : 1
  return [...tasks].sort((a, b) => {
    const [x, y] = [value(a), value(b)]
    return x === y ? 0 : x < y ? -sign : sign
  })
}
