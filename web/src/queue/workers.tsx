import type { WorkerStatus } from '../../../src/queue/worker-info.ts'
import { useNow } from '../clock.ts'
import { useConnected } from '../context.ts'
import { useReading } from '../reading.ts'
import { hrefOf } from '../route.ts'
import { useArrows } from '../show/arrows.ts'
import { Empty, Shown } from '../show/notice.tsx'
import { Status } from '../show/status.tsx'
import { Id, plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import { QueueHead } from './head.tsx'
import { progressText } from './progress.ts'
import { statusAt } from './worker-status.ts'

const pauseMs = 4_000
/** A heartbeat is no change of a task, so nothing hints at it; one comes every 15 s. */
const pollMs = 10_000

export function QueueWorkers() {
  const { source } = useConnected()
  const workers = useReading(
    ['workers'],
    'queue',
    (_, { signal }) => source.queue.workers(signal),
    {
      pauseMs,
      pollMs,
    },
  )
  return (
    <>
      <QueueHead place="workers" />
      <Shown reading={workers} what="the workers">
        {(value) =>
          value.length === 0 ? (
            <Empty title="No workers are registered.">
              Start one: <code>qo worker --exec hello=./hello.sh</code>
            </Empty>
          ) : (
            <WorkerList workers={value} />
          )
        }
      </Shown>
    </>
  )
}

function WorkerList({ workers }: { workers: readonly WorkerStatus[] }) {
  const list = useArrows<HTMLUListElement>('workers')
  return (
    <ul class="worker-list" ref={list}>
      {workers.map((worker) => (
        <li key={worker.worker_id} class="panel">
          <Worker worker={worker} />
        </li>
      ))}
    </ul>
  )
}

function Worker({ worker }: { worker: WorkerStatus }) {
  const status = statusAt(worker, useNow())
  return (
    <article aria-label={`Worker ${worker.worker_id}`}>
      <header class="worker-head">
        <h2>
          <bdi>{plain(worker.worker_id)}</bdi>
        </h2>
        <Status status={status} />
      </header>
      <p class="soft small">
        Started <Ago time={worker.started_at} />.
        {status === 'stale' &&
          ' It may be dead. Its tasks become pending again when their leases expire.'}
      </p>
      <section class="worker-news" aria-label="As of the last heartbeat">
        <p class="soft small">
          As of its last heartbeat, <Ago time={worker.last_heartbeat} />:
        </p>
        <dl class="worker-figures">
          <Figure name="tasks completed" count={worker.tasks_completed} />
          <Figure name="attempts failed" count={worker.tasks_failed} />
          <Figure name="concurrency" count={worker.concurrency} />
        </dl>
        <Runs worker={worker} />
      </section>
      <p class="soft small">
        Types:{' '}
        <bdi>
          {worker.task_types.length === 0 ? 'unknown' : plain(worker.task_types.join(', '))}
        </bdi>
        <br />
        Shards: {worker.shards.length === 16 ? 'all' : plain(worker.shards.join(' ')) || 'unknown'}
      </p>
    </article>
  )
}

const Figure = ({ name, count }: { name: string; count: number }) => (
  <div>
    <dt>{name}</dt>
    <dd>{count.toLocaleString('en')}</dd>
  </div>
)

function Runs({ worker }: { worker: WorkerStatus }) {
  const { running, current_task } = worker
  const tasks =
    running.length > 0 || current_task === null
      ? running
      : [{ id: current_task, task_type: '', attempt: 0, progress: null }]
  if (tasks.length === 0) return <p>No running tasks.</p>
  return (
    <ul class="runs">
      {tasks.map(({ id, task_type, progress }) => (
        <li key={id} data-row={id}>
          <a href={hrefOf(['queue', 'task', id])}>
            <Id id={id} />
          </a>{' '}
          <bdi>{plain(task_type)}</bdi>
          {progress !== null && <span class="soft"> · {plain(progressText(progress))}</span>}
        </li>
      ))}
    </ul>
  )
}
