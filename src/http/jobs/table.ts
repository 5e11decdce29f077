import {
  operations,
  stateOf,
  type Task,
  type TaskManager,
  taskFields,
} from '../../jobs/internal.ts'
import { snakeCase } from '../../schema/index.ts'
import { listedBytesMax, shownBytes } from '../content.ts'
import { stateHeader, tagged } from '../etag.ts'
import { type Shown, tableOf } from '../operations.ts'
import type { Table } from '../route.ts'
import { explainJob } from './refusals.ts'

/** Jobs that must not be done twice. */
export const jobsTable = (jobs: TaskManager): Table =>
  tableOf({
    name: 'Jobs',
    about:
      'Jobs that are done once, by workers that claim them here or by the library. A retry takes a claim back.',
    explain: explainJob,
    model: jobs,
    operations,
    shapes: { Job: jobShown },
  })

const names = (Object.keys(taskFields) as (keyof Task)[]).map(
  (name) => [name, snakeCase(name)] as const,
)

/** A job as it is shown, in the names of HTTP; its bytes as JSON where they are. */
function shown(job: Task): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const [name, named] of names) {
    const value = job[name]
    body[named] = value instanceof Uint8Array ? shownBytes(value) : value
  }
  return body
}

const jobShown: Shown<Task> = {
  answer: (job) => ({ status: 200, body: shown(job), headers: tagged(stateOf(job)) }),
  headers: stateHeader,
  at: ({ id }) => `/api/jobs/${encodeURIComponent(id)}`,
  listed: (job) => {
    const isOmitted = { payload: isLarge(job.payload), result: isLarge(job.result) }
    return {
      ...shown({
        ...job,
        payload: isOmitted.payload ? nothing : job.payload,
        result: isOmitted.result ? null : job.result,
      }),
      ...(isOmitted.payload ? { payload: null, payload_omitted: true } : {}),
      ...(isOmitted.result ? { result_omitted: true } : {}),
    }
  },
  // Each may have half a megabyte.
  readAtOnceMax: 50,
}

const nothing = new Uint8Array()
const isLarge = (content: Uint8Array | null): boolean =>
  content !== null && content.length > listedBytesMax
