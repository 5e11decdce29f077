import { useApi } from '../context.ts'
import { useReading } from '../reading.ts'
import { go, hrefOf } from '../route.ts'
import { JsonTree } from '../show/json.tsx'
import { Outcome, Shown, useDoing } from '../show/notice.tsx'
import { Status } from '../show/status.tsx'
import { Fact, Facts, LongText, plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import type { Job } from '../source/api.ts'

export function JobView({ id }: { id: string }) {
  const api = useApi()
  const job = useReading(`job ${id}`, 'jobs', (signal) => api.job(id, signal))
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf(['jobs'])}>Jobs</a> <span aria-hidden="true">/</span>{' '}
        <code>{plain(id)}</code>
      </p>
      <Shown reading={job} what="the job">
        {(value) => (
          <>
            <Head job={value} onDone={job.again} />
            <Properties job={value} />
            <div class="columns">
              <section class="panel">
                <h2>Payload</h2>
                <JsonTree value={value.payload} label="Payload" />
              </section>
              <section class="panel">
                <h2>Result</h2>
                {value.status === 'completed' ? (
                  <JsonTree value={value.result} label="Result" />
                ) : (
                  <p class="soft">None yet.</p>
                )}
              </section>
            </div>
          </>
        )}
      </Shown>
    </>
  )
}

function Head({ job, onDone }: { job: Job; onDone: () => Promise<void> }) {
  const api = useApi()
  const doing = useDoing()
  const retry = async () => {
    // A failed one has used up its attempts: it gets one more.
    await doing.run('It is pending again.', () =>
      api.retryJob(job.id, job.status === 'failed' ? 1 : undefined),
    )
    await onDone()
  }
  const remove = async () => {
    const isDone = await doing.run('Deleted.', () => api.deleteJob(job.id))
    if (isDone) go(['jobs'])
    else await onDone()
  }
  const isTerminal = job.status === 'completed' || job.status === 'failed'
  return (
    <>
      <header class="view-head">
        <h1>
          Job <Status status={job.status} />
        </h1>
        <div class="buttons">
          {(job.status === 'failed' || job.status === 'claimed') && (
            <button type="button" class="main" disabled={doing.isBusy} onClick={() => void retry()}>
              {job.status === 'failed' ? 'Try once more' : 'Take it back'}
            </button>
          )}
          {isTerminal && (
            <button type="button" disabled={doing.isBusy} onClick={() => void remove()}>
              Delete
            </button>
          )}
        </div>
      </header>
      <Outcome doing={doing} />
    </>
  )
}

const Properties = ({ job }: { job: Job }) => (
  <section class="panel">
    <Facts>
      <Fact name="Id">
        <code>{plain(job.id)}</code>
      </Fact>
      <Fact name="Key">
        {job.idempotencyKey === null ? 'none' : <LongText text={job.idempotencyKey} max={200} />}
      </Fact>
      <Fact name="Attempts">
        {job.attempts}
        {job.maxAttempts > 0 ? ` of ${job.maxAttempts}` : ', without limit'}
      </Fact>
      <Fact name="Claimed by">{job.claimedBy === null ? 'nobody' : plain(job.claimedBy)}</Fact>
      <Fact name="Created">
        <Ago time={job.createdAt} />
      </Fact>
      <Fact name="Ended">
        <Ago time={job.completedAt} />
      </Fact>
    </Facts>
    {job.error !== null && (
      <div class="last-error">
        <h2>Error</h2>
        <pre>
          <LongText text={job.error} />
        </pre>
      </div>
    )}
  </section>
)
