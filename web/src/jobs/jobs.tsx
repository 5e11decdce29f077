import { useRef, useState } from 'preact/hooks'
import { statuses } from '../../../src/jobs/task.ts'
import { useApi } from '../context.ts'
import { useReading } from '../reading.ts'
import { go, hrefOf, type Route } from '../route.ts'
import { Empty, Outcome, Shown, useDoing } from '../show/notice.tsx'
import { Status } from '../show/status.tsx'
import { Id, Line, plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import type { Job, Paged } from '../source/api.ts'

/** Jobs of programs that use the library, by status or by key. */
export function Jobs({ route }: { route: Route }) {
  const api = useApi()
  const status = route.query['status'] ?? ''
  const cursor = route.query['cursor'] ?? null
  const jobs = useReading(`jobs ${status} ${cursor ?? ''}`, 'jobs', (signal) =>
    api.jobs(status, cursor, signal),
  )
  return (
    <>
      <header class="view-head">
        <h1>Jobs</h1>
        <nav class="tabs" aria-label="Status">
          {['', ...statuses].map((each) => (
            <a
              key={each}
              href={hrefOf(['jobs'], { status: each })}
              aria-current={each === status ? 'page' : undefined}
            >
              {each || 'all'}
            </a>
          ))}
        </nav>
      </header>
      <ByKey />
      <Shown reading={jobs} what="the jobs">
        {(page) => <JobList page={page} status={status} cursor={cursor} />}
      </Shown>
    </>
  )
}

function ByKey() {
  const api = useApi()
  const doing = useDoing()
  const key = useRef<HTMLInputElement>(null)
  const [isTried, setTried] = useState(false)
  const find = async () => {
    setTried(true)
    await doing.run('', async () => {
      const { id } = await api.jobByKey(key.current?.value ?? '')
      go(['jobs', id])
    })
  }
  return (
    <>
      <form
        class="filters find"
        onSubmit={(event) => {
          event.preventDefault()
          void find()
        }}
      >
        <label class="wide">
          <span>Idempotency key</span>
          <input ref={key} type="search" data-search required placeholder="the whole key ( / )" />
        </label>
        <button type="submit" disabled={doing.isBusy}>
          Find
        </button>
      </form>
      {isTried && <Outcome doing={doing} />}
    </>
  )
}

function JobList({
  page,
  status,
  cursor,
}: {
  page: Paged<Job>
  status: string
  cursor: string | null
}) {
  if (page.items.length === 0 && cursor === null)
    return (
      <Empty title={status === '' ? 'There is no job yet.' : `No job is ${status}.`}>
        Programs submit them with <code>holdfast/jobs</code>.
      </Empty>
    )
  return (
    <>
      <section class="panel">
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col" class="col-id">
                Job
              </th>
              <th scope="col" class="col-status">
                Status
              </th>
              <th scope="col" class="col-key">
                Key
              </th>
              <th scope="col" class="number">
                Attempts
              </th>
              <th scope="col" class="col-updated">
                Created
              </th>
            </tr>
          </thead>
          <tbody>
            {page.items.map((job) => (
              <tr key={job.id}>
                <JobCells job={job} />
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="pager">
        {cursor !== null && <a href={hrefOf(['jobs'], { status })}>First page</a>}
        {page.cursor !== null && (
          <a href={hrefOf(['jobs'], { status, cursor: plain(page.cursor) })}>Next page</a>
        )}
      </p>
    </>
  )
}

const JobCells = ({ job }: { job: Job }) => (
  <>
    <td class="col-id">
      <a href={hrefOf(['jobs', job.id])}>
        <Id id={job.id} />
      </a>
    </td>
    <td class="col-status">
      <Status status={job.status} />
    </td>
    <td class="col-key">
      <Line text={job.idempotencyKey ?? '–'} />
    </td>
    <td class="number">
      {job.attempts}
      {job.maxAttempts > 0 && <span class="soft"> of {job.maxAttempts}</span>}
    </td>
    <td class="col-updated">
      <Ago time={job.createdAt} />
    </td>
  </>
)
