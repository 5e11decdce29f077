import { afterPart } from '../../collection/index.ts'
import type { Changed, Condition, Queue, Submission } from '../../queue/internal.ts'
import { camelCased, ref } from '../../schema/index.ts'
import { conditionOf, ifMatchState, stateHeader } from '../etag.ts'
import { pageFields, pageHeaders, wholeAnswer } from '../paging.ts'
import { explainRefusal } from '../refusals.ts'
import type { Fields, Outcome, Route, Table } from '../route.ts'
import { taskAnswer } from './condition.ts'
import type { Counts } from './counts.ts'
import { list } from './list.ts'
import { queueSchemas, submissionSchema } from './schemas.ts'
import { shownVersion } from './shown.ts'

/** Tasks for workers on any number of machines. */
export const queueTable = (queue: Queue, counts: Counts): Table => ({
  name: 'Queue',
  about: 'Tasks for workers on any number of machines. An id may be cut to 4 hex digits and more.',
  explain: explainRefusal,
  schemas: queueSchemas,
  routes: [
    list(queue),
    submit(queue, counts),
    read(queue),
    history(queue),
    ...verbs.map((verb) => verbRoute(queue, counts, verb)),
    stats(counts),
    workers(queue),
  ],
})

const idParam: Fields = {
  id: {
    isRequired: true,
    schema: {
      type: 'string',
      pattern: '^[0-9A-Fa-f](-?[0-9A-Fa-f]){3,31}$',
      description: 'An id is a UUID; 4 hex digits of its start and more will do.',
      errorCode: 'INVALID_ID',
    },
  },
}

const wholeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A whole id needs no search. */
const idOf = async (queue: Queue, given: string): Promise<string> =>
  wholeId.test(given) ? given : queue.resolve(given)

const onNaming = ['INVALID_ID', 'NOT_FOUND', 'AMBIGUOUS', 'CORRUPT']

const taskOutcome: Readonly<Record<number, Outcome>> = {
  200: {
    about: 'The task, as it is now.',
    schema: ref('QueueTask'),
    headers: stateHeader,
  },
}

type Submitted = Pick<Submission, 'id' | 'input'> & {
  readonly type: string
  readonly timeout_seconds?: number
  readonly [name: string]: unknown
}

/** The library has its names in camelCase, and durations in milliseconds. */
const submissionOf = ({ timeout_seconds: seconds, ...rest }: Submitted): Submission => ({
  ...(camelCased(rest) as unknown as Submission),
  ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }),
})

const submit = (queue: Queue, counts: Counts): Route<Submitted> => ({
  method: 'POST',
  path: '/api/queue/tasks',
  role: 'work',
  summary: 'Submit a task to the queue',
  details:
    'If a task has its key already, you get that task. It may be cancelled or failed: check `status`, and replay it if it should run. An `id` that is taken is a conflict.',
  body: { schema: submissionSchema },
  outcomes: {
    ...taskOutcome,
    201: {
      about: 'The new task.',
      schema: ref('QueueTask'),
      headers: { Location: 'Where the task is.', ...stateHeader },
    },
  },
  errors: ['CONFLICT', 'CORRUPT'],
  handle: async ({ body }) => {
    const { id, isNew } = await queue.submit(submissionOf(body))
    counts.forget()
    const read = () => queue.get(id, { full: true })
    if (!isNew) return { ...taskAnswer(await read()), acts: [] }
    const task = await afterPart(`The task ${id} was submitted`, read)
    return taskAnswer(task, 201, { Location: `/api/queue/tasks/${id}` })
  },
})

const read = (queue: Queue): Route => ({
  method: 'GET',
  path: '/api/queue/tasks/:id',
  role: 'read',
  summary: 'Read a task of the queue',
  details: 'With its input and output, however large.',
  params: idParam,
  outcomes: taskOutcome,
  errors: onNaming,
  handle: async ({ params }) => {
    const id = await idOf(queue, params['id'] as string)
    return taskAnswer(await queue.get(id, { full: true }))
  },
})

const history = (queue: Queue): Route => ({
  method: 'GET',
  path: '/api/queue/tasks/:id/history',
  role: 'read',
  summary: 'List the states that a task of the queue has had',
  details: 'The oldest first; all, unless a limit is given.',
  params: idParam,
  query: pageFields,
  outcomes: {
    200: {
      about: 'Its versions.',
      schema: { type: 'array', items: ref('QueueVersion') },
      headers: pageHeaders,
    },
  },
  errors: onNaming,
  handle: async (call) => {
    const id = await idOf(queue, call.params['id'] as string)
    return wholeAnswer(call, (await queue.history(id)).map(shownVersion))
  },
})

interface Verb {
  readonly name: string
  readonly summary: string
  readonly details: string
  readonly run: (queue: Queue, id: string, on: Condition) => Promise<Changed>
}

const verbs: readonly Verb[] = [
  {
    name: 'replay',
    summary: 'Run a failed or cancelled task again',
    details: 'It is pending again, with all of its retries.',
    run: (queue, id, on) => queue.replay(id, on),
  },
  {
    name: 'archive',
    summary: 'Archive a completed, failed or cancelled task',
    details: 'Lists show it only where archived ones are asked for.',
    run: (queue, id, on) => queue.archive(id, on),
  },
  {
    name: 'unarchive',
    summary: 'Bring an archived task back',
    details: 'To the status that it had before.',
    run: (queue, id, on) => queue.unarchive(id, on),
  },
  {
    name: 'cancel',
    summary: 'Cancel a pending task, or ask for the end of a running one',
    details: 'While it still runs, `cancel_requested` is true.',
    run: (queue, id, on) => queue.cancel(id, on),
  },
]

/** Doing twice what holds already changes nothing, and is fine. */
const verbRoute = (queue: Queue, counts: Counts, verb: Verb): Route => ({
  method: 'POST',
  path: `/api/queue/tasks/:id/${verb.name}`,
  role: 'work',
  summary: verb.summary,
  details: verb.details,
  params: idParam,
  headers: ifMatchState,
  outcomes: taskOutcome,
  errors: [...onNaming, 'REFUSED', 'PRECONDITION_FAILED'],
  handle: async (call) => {
    const on = conditionOf(call)
    const { task } = await verb.run(queue, await idOf(queue, call.params['id'] as string), on)
    counts.forget()
    return taskAnswer(task)
  },
})

const stats = (counts: Counts): Route => ({
  method: 'GET',
  path: '/api/queue/stats',
  role: 'read',
  summary: 'Count the tasks of the queue by status and type',
  details: 'Where that takes long, it may be a few seconds old.',
  outcomes: {
    200: {
      about: 'The counts.',
      schema: ref('QueueStats'),
      headers: { Age: 'How old they are, in seconds.' },
    },
  },
  errors: [],
  handle: async () => {
    const { stats: body, startedAt } = await counts.now()
    const age = Math.round((performance.now() - startedAt) / 1000)
    return { status: 200, body, headers: { Age: String(age) } }
  },
})

const workers = (queue: Queue): Route => ({
  method: 'GET',
  path: '/api/queue/workers',
  role: 'read',
  summary: 'List the workers',
  details: 'One that has been silent for a minute is stale.',
  query: pageFields,
  outcomes: {
    200: {
      about: 'Workers by id.',
      schema: { type: 'array', items: ref('QueueWorker') },
      headers: pageHeaders,
    },
  },
  errors: [],
  handle: async (call) => wholeAnswer(call, await queue.workers()),
})
