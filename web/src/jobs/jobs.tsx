import { useEffect, useRef, useState } from 'preact/hooks'
import { statuses } from '../../../src/jobs/task.ts'
import { useApi } from '../context.ts'
import { useIsHere } from '../here.ts'
import { useReading } from '../reading.ts'
import { go, hrefOf, type Route } from '../route.ts'
import { isFocusFree, useArrows } from '../show/arrows.ts'
import { Empty, FailureBox, Shown } from '../show/notice.tsx'
import { Status } from '../show/status.tsx'
import { Id, Line, plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import type { Job, Paged } from '../source/api.ts'
import { type Failure, outcomeOf } from '../source/failure.ts'

/** Jobs of programs that use the library, by status or by key. */
export function Jobs({ route }: { route: Route }) {
  const api = useApi()
  const status = route.query['status'] ?? ''
  const cursor = route.query['cursor'] ?? null
  const jobs = useReading(['jobs', status, cursor], 'jobs', ([, of, after], { signal }) =>
    api.jobs(of, after, signal),
  )
  useFirstRow(jobs.value !== null, cursor)
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

/** Another page of the list begins at its first row, for whoever has left the one before by its pager. */
function useFirstRow(isShown: boolean, cursor: string | null): void {
  const before = useRef(cursor)
  useEffect(() => {
    if (!isShown || before.current === cursor) return
    before.current = cursor
    if (isFocusFree()) document.querySelector<HTMLElement>('#main [data-row] a')?.focus()
  }, [isShown, cursor])
}

function ByKey() {
  const api = useApi()
  const key = useRef<HTMLInputElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const isHere = useIsHere()
  const find = async () => {
    setBusy(true)
    setFailure(null)
    const found = await outcomeOf(() => api.jobByKey(key.current?.value ?? ''))
    // Whoever has gone elsewhere is not taken to it.
    if (!isHere.current) return
    setBusy(false)
    if ('value' in found) go(['jobs', found.value.id])
    else setFailure(found.failure)
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
        <button type="submit" disabled={isBusy}>
          Find
        </button>
      </form>
      <div class="outcome">{failure && <FailureBox failure={failure} />}</div>
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
  const rows = useArrows<HTMLTableSectionElement>('jobs')
  if (page.items.length === 0 && cursor === null)
    return (
      <Empty title={status === '' ? 'No jobs yet.' : `No ${status} jobs.`}>
        Programs submit jobs with <code>holdfast/jobs</code>.
      </Empty>
    )
  return (
    <>
      <section class="panel">
        <table class="plain-table two-lines job-rows">
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
          <tbody ref={rows}>
            {page.items.map((job) => (
              <tr key={job.id} data-row={job.id}>
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
      <a class="row-link" href={hrefOf(['jobs', job.id])}>
        <Id id={job.id} />
      </a>
    </td>
    <td class="col-status">
      <Status status={job.status} />
    </td>
    <td class="col-key">
      <Line text={job.idempotency_key ?? '–'} />
    </td>
    <td class="number">
      {job.attempts}
      {job.max_attempts > 0 && <span class="soft"> of {job.max_attempts}</span>}
    </td>
    <td class="col-updated">
      <Ago time={job.created_at} />
    </td>
  </>
)
