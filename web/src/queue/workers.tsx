import type { WorkerStatus } from '../../../src/queue/registry.ts'
import { useNow } from '../clock.ts'
import { useConnected } from '../context.ts'
import { useReading } from '../reading.ts'
import { hrefOf } from '../route.ts'
import { Empty, Shown } from '../show/notice.tsx'
import { Status } from '../show/status.tsx'
import { Id, plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import { QueueHead } from './head.tsx'
import { statusAt } from './worker-status.ts'

const pauseMs = 4_000
/** A heartbeat is no change of a task, so nothing hints at it; one comes every 15 s. */
const pollMs = 10_000

export function QueueWorkers() {
  const { source } = useConnected()
  const workers = useReading('workers', 'queue', (signal) => source.queue.workers(signal), {
    pauseMs,
    pollMs,
  })
  return (
    <>
      <QueueHead place="workers" />
      <Shown reading={workers} what="the workers">
        {(value) =>
          value.length === 0 ? (
            <Empty title="No worker is registered.">
              Start one: <code>qo worker --exec hello=./hello.sh</code>
            </Empty>
          ) : (
            <ul class="worker-list">
              {value.map((worker) => (
                <li key={worker.worker_id} class="panel">
                  <Worker worker={worker} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </>
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
        Heartbeat <Ago time={worker.last_heartbeat} />, started <Ago time={worker.started_at} />
        {status === 'stale' && '. It may be dead; what it ran comes back when its leases expire.'}
      </p>
      <dl class="worker-figures">
        <div>
          <dt>completed</dt>
          <dd>{worker.tasks_completed.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>failed</dt>
          <dd>{worker.tasks_failed.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>at once</dt>
          <dd>{worker.concurrency}</dd>
        </div>
      </dl>
      <Runs worker={worker} />
      <p class="soft small">
        Types:{' '}
        <bdi>
          {worker.task_types.length === 0 ? 'not told' : plain(worker.task_types.join(', '))}
        </bdi>
        <br />
        Shards: {worker.shards.length === 16 ? 'all' : plain(worker.shards.join(' ')) || 'not told'}
      </p>
    </article>
  )
}

function Runs({ worker }: { worker: WorkerStatus }) {
  const { running, current_task } = worker
  const tasks =
    running.length > 0 || current_task === null
      ? running
      : [{ id: current_task, task_type: '', attempt: 0, progress: null }]
  if (tasks.length === 0) return <p>Runs nothing now.</p>
  return (
    <ul class="runs">
      {tasks.map(({ id, task_type, progress }) => (
        <li key={id}>
          <a href={hrefOf(['queue', 'task', id])}>
            <Id id={id} />
          </a>{' '}
          <bdi>{plain(task_type)}</bdi>
          {progress !== null && (
            <span class="soft"> · {plain(String(progress).slice(0, 100))}</span>
          )}
        </li>
      ))}
    </ul>
  )
}
