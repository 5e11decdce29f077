import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { statuses } from '../../../src/queue/task.ts'
import { useConnected } from '../context.ts'
import { entryKey, forget, leave, leftAt } from '../entry.ts'
import { useReading } from '../reading.ts'
import type { Route } from '../route.ts'
import { Empty, Shown } from '../show/notice.tsx'
import { Rows } from '../show/rows.tsx'
import { counted } from '../show/text.tsx'
import { clockTime } from '../show/time.tsx'
import type { Failure } from '../source/failure.ts'
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

/** As many as are shown, or were shown when this entry was left, so that what was read further down stays. */
function countOf(before: unknown, entry: string): number {
  const { length } = (before as TaskPage | null)?.tasks ?? {
    length: leftAt<number>(entry, shownName),
  }
  return Math.ceil(Math.max(length ?? 1, 1) / pageSize) * pageSize
}

const joined = (shown: TaskPage, next: TaskPage): TaskPage => ({
  ...next,
  tasks: [...shown.tasks, ...next.tasks],
  corrupt: [...shown.corrupt, ...next.corrupt],
})

type ReadPage = (cursor: string | null, limit: number) => Promise<TaskPage>

async function firstTasks(count: number, read: ReadPage): Promise<TaskPage> {
  let page = await read(null, Math.min(count, renewedMax))
  while (page.tasks.length < count && page.cursor !== null && !page.isShort)
    page = joined(page, await read(page.cursor, Math.min(count - page.tasks.length, renewedMax)))
  return page
}

const shownName = 'tasks shown'

const isLong = ({ tasks }: TaskPage): boolean => tasks.length > renewedMax

export function QueueTasks({ route }: { route: Route }) {
  const filter = filterOf(route)
  const { source } = useConnected()
  const entry = entryKey()
  const page = useReading(
    ['tasks', filter],
    'queue',
    ([, asked], { signal, before }) =>
      firstTasks(countOf(before, entry), (cursor, limit) =>
        source.queue.list(asked, cursor, limit, signal),
      ),
    { isHeld: isLong },
  )
  const more = useCallback(
    () =>
      void page.extend(async ([, asked], shown, signal) => {
        if (shown.cursor === null) return shown
        const size = nextSize[source.kind]
        return joined(shown, await source.queue.list(asked, shown.cursor, size, signal))
      }),
    [page, source],
  )
  const length = page.value?.tasks.length
  useEffect(() => {
    if (length !== undefined) leave(entry, shownName, length)
  }, [entry, length])
  const [renewals, setRenewals] = useState(0)
  const renew = () => {
    // Another list, which begins at its top.
    forget(entry)
    setRenewals(renewals + 1)
    void page.restart()
  }
  return (
    <>
      <QueueHead place="tasks" />
      <Filters filter={filter} />
      {page.isBehind && <Behind asOfMs={page.asOfMs} onRenew={renew} />}
      <Shown reading={page} what="the tasks">
        {(value) => (
          <List
            key={`${entry} ${renewals}`}
            page={value}
            onMore={more}
            failure={page.moreFailure}
          />
        )}
      </Shown>
    </>
  )
}

/** A list of thousands does not change under whoever reads it; that it has changed is told. */
const Behind = ({ asOfMs, onRenew }: { asOfMs: number | null; onRenew: () => void }) => (
  <div class="notice stale" role="status">
    <p>
      <strong>As of {clockTime(asOfMs ?? 0)}: there are newer changes.</strong> A list this long is
      not refreshed automatically.
    </p>
    <button type="button" onClick={onRenew}>
      Show the newest
    </button>
  </div>
)

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
    return <Empty title="No matching tasks.">Change the filter or submit a task.</Empty>
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
        row={(task, tabIndex) => <TaskLine task={task} tabIndex={tabIndex} />}
      />
      <p class="soft small" role="status">
        {counted(tasks.length, 'task')}
        {cursor === null ? ', all of them' : isShort ? ' so far' : ' loaded; there are more'},
        newest first
        {order && `; these are sorted by ${order.column}`}.
        {isShort && (
          <>
            {' '}
            Not all tasks have been read.{' '}
            <button type="button" class="link" onClick={onMore}>
              Read more
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
