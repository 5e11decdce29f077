import { useEffect, useState } from 'preact/hooks'
import { shards } from '../../../src/queue/keys.ts'
import { statuses } from '../../../src/queue/task.ts'
import { useConnected } from '../context.ts'
import { useReading } from '../reading.ts'
import { hrefOf } from '../route.ts'
import { Empty, Shown } from '../show/notice.tsx'
import { Plot } from '../show/plot.tsx'
import { plain } from '../show/text.tsx'
import { type Counts, listedMax } from '../source/source.ts'
import { QueueHead } from './head.tsx'
import { addSample, seriesOf } from './samples.ts'
import { TaskLine, TaskLineHead } from './task-line.tsx'

/** Counting reads every task of the store: not more often than this. */
const countPauseMs = 4_000
const newestMax = 8
const typesShown = 50

export function QueueOverview() {
  const { source } = useConnected()
  const counts = useReading('counts', 'queue', (signal) => source.queue.counts(signal), {
    pauseMs: countPauseMs,
  })
  if (counts.value && counts.asOfMs !== null && !counts.failure)
    addSample(source, counts.value, counts.asOfMs)
  return (
    <>
      <QueueHead place="overview" />
      <Shown reading={counts} what="the counts">
        {(value) => (
          <>
            <Cards counts={value} onAgain={counts.again} />
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
          <strong>There are more than the {figure(counts.total)} tasks that were counted.</strong>{' '}
          Of a folder of a bucket {listedMax.toLocaleString('en')} objects are listed;{' '}
          <code>holdfast serve</code> counts all.
        </p>
      </div>
    )}
    {counts.unread > 0 && <Uncounted counts={counts} onAgain={onAgain} />}
    {counts.unhandled_types.length > 0 && (
      <div class="notice warn">
        <p>
          <strong>No active worker handles {counts.unhandled_types.map(plain).join(', ')}.</strong>{' '}
          Tasks of such a type wait until one does: start <code>qo worker</code> with a handler for
          it.
        </p>
      </div>
    )}
  </>
)

/** A bucket has indexes of what is pending and running only; how the others ended is in the tasks themselves. */
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
        How those ended that are neither pending nor running is told by the tasks alone:{' '}
        {figure(unread)} are to be read for it.
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
  const newest = useReading('newest', 'queue', (signal) =>
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
            <Empty title="No task has been submitted yet.">
              Submit one above, or with{' '}
              <code>qo submit --type hello --input '{'{"name":"world"}'}'</code>
            </Empty>
          ) : (
            <table class="plain-table">
              <thead>
                <TaskLineHead />
              </thead>
              <tbody>
                {tasks.map((task) => (
                  <tr key={task.id}>
                    <TaskLine task={task} />
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Shown>
    </section>
  )
}

function Types({ counts }: { counts: Counts }) {
  if (counts.by_type === null) return null
  const types = Object.entries(counts.by_type)
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
          <tbody>
            {types.slice(0, typesShown).map(([type, by]) => (
              <tr key={type}>
                <td>
                  <a href={hrefOf(['queue', 'tasks'], { type })}>
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

const Shards = () => (
  <section class="panel">
    <h2>Shards</h2>
    <p class="soft small">
      A task’s shard is the first digit of its id; workers take some or all of them.
    </p>
    <nav class="shards" aria-label="Shards">
      {shards.map((shard) => (
        <a key={shard} href={hrefOf(['queue', 'tasks'], { shard })}>
          {shard}
        </a>
      ))}
    </nav>
  </section>
)
