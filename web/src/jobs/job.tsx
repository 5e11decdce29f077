import { useApi } from '../context.ts'
import { useReading } from '../reading.ts'
import { go, hrefOf } from '../route.ts'
import { type Action, ActionButton, Outcome, useAction } from '../show/action.tsx'
import { Confirm } from '../show/confirm.tsx'
import { useDialog } from '../show/dialog.tsx'
import { JsonTree } from '../show/json.tsx'
import { Shown } from '../show/notice.tsx'
import { Status } from '../show/status.tsx'
import { Fact, Facts, LongText, plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import type { Api, Job, SeenJob } from '../source/api.ts'

export function JobView({ id }: { id: string }) {
  const api = useApi()
  const seen = useReading(['job', id], 'jobs', ([, asked], { signal }) => api.job(asked, signal))
  const action = useAction(seen, ({ state }) => state)
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf(['jobs'])}>Jobs</a> <span aria-hidden="true">/</span>{' '}
        <code>{plain(id)}</code>
      </p>
      <Shown reading={seen} what="the job">
        {(value) => (
          <>
            <Head seen={value} action={action} />
            <Properties job={value.job} />
            <Contents job={value.job} />
          </>
        )}
      </Shown>
    </>
  )
}

/** What can be done to the job, on the condition that it still is as it is shown. */
function Head({ seen, action }: { seen: SeenJob; action: Action }) {
  const api = useApi()
  const open = useDialog()
  const { id, status } = seen.job
  const isAdmin = api.caller.role === 'admin'
  // What another has claimed only an administrator may take back.
  const mayRetry = status === 'failed' || (status === 'claimed' && (isAdmin || isOwn(seen, api)))
  const retry = () =>
    action.run(async () => {
      const { state } = await api.retryJob(seen)
      return { words: 'The job is pending again.', id, state }
    })
  const remove = () =>
    open((close) => (
      <Confirm
        title="Delete this job?"
        button="Delete"
        run={() => api.deleteJob(seen)}
        onDone={() => go(['jobs'])}
        onClose={close}
      >
        The job is deleted for good, with its payload and result. Its idempotency key is free then.
      </Confirm>
    ))
  return (
    <>
      <header class="view-head">
        <h1>
          Job <Status status={status} />
        </h1>
        <div class="buttons">
          {mayRetry && (
            <ActionButton
              // Another status makes it another action, which must not have the focus of this one.
              key={status}
              action={action}
              on={seen.state ?? ''}
              kind="main"
              onPress={retry}
            >
              {status === 'failed' ? 'Try once more' : 'Take it back'}
            </ActionButton>
          )}
          {isAdmin && (status === 'failed' || status === 'completed') && (
            <ActionButton action={action} on={seen.state ?? ''} onPress={remove}>
              Delete
            </ActionButton>
          )}
        </div>
      </header>
      <Outcome action={action} />
    </>
  )
}

const isOwn = ({ job }: SeenJob, { caller: { name } }: Pick<Api, 'caller'>): boolean =>
  name !== null && (job.claimed_by === name || job.claimed_by?.startsWith(`${name}/`) === true)

const Contents = ({ job }: { job: Job }) => (
  <div class="columns">
    <section class="panel">
      <h2>Payload</h2>
      <JsonTree value={job.payload} label="Payload" />
    </section>
    <section class="panel">
      <h2>Result</h2>
      {job.status === 'completed' ? (
        <JsonTree value={job.result} label="Result" />
      ) : (
        <p class="soft">None yet.</p>
      )}
    </section>
  </div>
)

const Properties = ({ job }: { job: Job }) => (
  <section class="panel">
    <Facts>
      <Fact name="ID">
        <code>{plain(job.id)}</code>
      </Fact>
      <Fact name="Key">
        {job.idempotency_key === null ? 'none' : <LongText text={job.idempotency_key} max={200} />}
      </Fact>
      <Fact name="Attempts">
        {job.attempts}
        {job.max_attempts > 0 ? ` of ${job.max_attempts}` : ', no limit'}
      </Fact>
      <Fact name="Claimed by">{job.claimed_by === null ? 'nobody' : plain(job.claimed_by)}</Fact>
      <Fact name="Created">
        <Ago time={job.created_at} />
      </Fact>
      <Fact name="Ended">
        <Ago time={job.completed_at} />
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
