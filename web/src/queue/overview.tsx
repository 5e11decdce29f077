import { useEffect, useState } from 'preact/hooks'
import { shards } from '../../../src/queue/fields.ts'
import { statuses } from '../../../src/queue/task.ts'
import { useConnected } from '../context.ts'
import { useReading } from '../reading.ts'
import { hrefOf } from '../route.ts'
import { useArrows } from '../show/arrows.ts'
import { Empty, Shown } from '../show/notice.tsx'
import { Plot } from '../show/plot.tsx'
import { plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import { type Counts, type ListedTask, listedMax } from '../source/source.ts'
import { QueueHead } from './head.tsx'
import { addSample, seriesOf } from './samples.ts'
import { TaskLine, TaskLineHead } from './task-line.tsx'

/** Counting reads every task of the store: not more often than this. */
const countPauseMs = 4_000
const newestMax = 8
const typesShown = 50

export function QueueOverview() {
  const { source } = useConnected()
  const counts = useReading(['counts'], 'queue', (_, { signal }) => source.queue.counts(signal), {
    pauseMs: countPauseMs,
  })
  if (counts.value && counts.asOfMs !== null && !counts.failure)
    addSample(source, counts.value, counts.asOfMs - counts.value.ageMs)
  return (
    <>
      <QueueHead place="overview" />
      <Shown reading={counts} what="the counts">
        {(value) => (
          <>
            <Cards counts={value} onAgain={counts.again} />
            <p class="soft small counted">
              Counted <Ago time={timeOf(counts.asOfMs, value.ageMs)} />.
            </p>
            <Plots />
          </>
        )}
      </Shown>
      <Newest />
      <div class="columns">
        {counts.value && <Types counts={counts.value} />}
        <Shards />
      </div>
    </>
  )
}

const timeOf = (asOfMs: number | null, ageMs: number): string | null =>
  asOfMs === null ? null : new Date(asOfMs - ageMs).toISOString()

const figure = (count: number | null): string => (count === null ? '–' : count.toLocaleString('en'))

const Cards = ({ counts, onAgain }: { counts: Counts; onAgain: () => Promise<void> }) => (
  <>
    <ul class="cards" aria-label="Tasks by status">
      {statuses.map((status) => (
        <li key={status}>
          <a class={`card c-${status}`} href={hrefOf(['queue', 'tasks'], { status })}>
            <span class="card-figure">
              {figure(counts.by_status[status])}
              {counts.isCut && counts.by_status[status] !== null && '+'}
            </span>
            <span class="card-name">{status}</span>
          </a>
        </li>
      ))}
    </ul>
    {counts.isCut && (
      <div class="notice warn">
        <p>
          <strong>There are more tasks than the {figure(counts.total)} counted.</strong> The page
          lists {listedMax.toLocaleString('en')} objects of a folder; <code>holdfast serve</code>{' '}
          counts all.
        </p>
      </div>
    )}
    {counts.unread > 0 && <Uncounted counts={counts} onAgain={onAgain} />}
    {counts.unhandled_types.length > 0 && (
      <div class="notice warn">
        <p>
          <strong>No active worker handles {counts.unhandled_types.map(plain).join(', ')}.</strong>{' '}
          Start a <code>qo worker</code> with a handler for{' '}
          {counts.unhandled_types.length === 1 ? 'it' : 'them'}.
        </p>
      </div>
    )}
  </>
)

/** A bucket has indexes of pending and running tasks only; how the others ended is in the tasks. */
function Uncounted({ counts, onAgain }: { counts: Counts; onAgain: () => Promise<void> }) {
  const { source } = useConnected()
  const [isCounting, setCounting] = useState(false)
  const { total, unread } = counts
  useEffect(() => {
    if (isCounting) void onAgain()
    // Each look counts some more.
  }, [isCounting, unread])
  const count = () => {
    source.queue.countAll()
    setCounting(true)
  }
  return (
    <div class="notice" role="status">
      <p>
        <strong>
          {figure(total)}
          {counts.isCut ? '+' : ''} tasks in all.
        </strong>{' '}
        Counting finished tasks means reading {figure(unread)} more.
      </p>
      {isCounting ? (
        <progress max={total} value={total - unread} aria-label="Tasks read" />
      ) : (
        <button type="button" onClick={count}>
          Count them
        </button>
      )}
    </div>
  )
}

function Plots() {
  const { source } = useConnected()
  const { waiting, running, rate } = seriesOf(source)
  const now = (points: readonly { value: number }[]) => {
    const last = points.at(-1)
    return last ? Math.round(last.value).toLocaleString('en') : '–'
  }
  return (
    <section class="plots" aria-label="Over time, since the page was opened">
      <Plot title="Waiting" points={waiting} now={now(waiting)} tone="t-pending" />
      <Plot title="Running" points={running} now={now(running)} tone="t-running" />
      <Plot title="Ended per minute" points={rate} now={now(rate)} tone="t-completed" />
    </section>
  )
}

function Newest() {
  const { source } = useConnected()
  const newest = useReading(['newest'], 'queue', (_, { signal }) =>
    source.queue.list({}, null, newestMax, signal),
  )
  return (
    <section class="panel">
      <h2>
        Newest tasks <a href={hrefOf(['queue', 'tasks'])}>all tasks</a>
      </h2>
      <Shown reading={newest} what="the newest tasks">
        {({ tasks }) =>
          tasks.length === 0 ? (
            <Empty title="No tasks yet.">
              Submit one above, or with{' '}
              <code>qo submit --type hello --input '{'{"name":"world"}'}'</code>
            </Empty>
          ) : (
            <NewestList tasks={tasks} />
          )
        }
      </Shown>
    </section>
  )
}

function NewestList({ tasks }: { tasks: readonly ListedTask[] }) {
  const rows = useArrows<HTMLTableSectionElement>('newest tasks')
  return (
    <table class="plain-table two-lines task-rows">
      <thead>
        <TaskLineHead />
      </thead>
      <tbody ref={rows}>
        {tasks.map((task) => (
          <tr key={task.id} data-row={task.id}>
            <TaskLine task={task} />
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Types({ counts }: { counts: Counts }) {
  const rows = useArrows<HTMLTableSectionElement>('types')
  const types = Object.entries(counts.by_type ?? {})
  if (types.length === 0) return null
  return (
    <section class="panel">
      <h2>Types</h2>
      <div class="scroll">
        <table class="plain-table figures">
          <thead>
            <tr>
              <th scope="col">Type</th>
              {['pending', 'running', 'completed', 'failed'].map((status) => (
                <th key={status} scope="col" class="number">
                  {status}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={rows}>
            {types.slice(0, typesShown).map(([type, by]) => (
              <tr key={type} data-row={type}>
                <td>
                  <a
                    class="row-link"
                    title={plain(type)}
                    href={hrefOf(['queue', 'tasks'], { type })}
                  >
                    <bdi>{plain(type)}</bdi>
                  </a>
                </td>
                <td class="number">{figure(by.pending)}</td>
                <td class="number">{figure(by.running)}</td>
                <td class="number">{figure(by.completed)}</td>
                <td class={by.failed > 0 ? 'number bad-figure' : 'number'}>{figure(by.failed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {types.length > typesShown && (
        <p class="soft small">
          {typesShown} of {figure(types.length)} types.
        </p>
      )}
    </section>
  )
}

const Shards = () => {
  const list = useArrows<HTMLElement>('shards')
  return (
    <section class="panel">
      <h2>Shards</h2>
      <p class="soft small">
        The shard of a task is the first digit of its ID. A worker takes all shards or some.
      </p>
      <nav class="shards" aria-label="Shards" ref={list}>
        {shards.map((shard) => (
          <a key={shard} data-row={shard} href={hrefOf(['queue', 'tasks'], { shard })}>
            {shard}
          </a>
        ))}
      </nav>
    </section>
  )
}
