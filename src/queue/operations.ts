import type { Condition } from '../collection/index.ts'
import {
  camelCased,
  cursorInputs,
  ensured,
  filled,
  givenFields,
  json,
  kind,
  type Operation,
  offsetInputs,
  one,
  oneOf,
  operationsOf,
  optional,
  optionals,
  required,
  steps,
  whole,
} from '../schema/index.ts'
import type { Submission } from './checks.ts'
import { shards, statuses, taskFields } from './fields.ts'
import type { Queue } from './queue.ts'
import { statsShape, taskShape, versionShape, workerShape } from './shapes.ts'

const id = required(
  kind<string>(
    {
      type: 'string',
      pattern: '^[0-9A-Fa-f](-?[0-9A-Fa-f]){3,31}$',
      errorCode: 'INVALID_ID',
    },
    () => true,
  ),
  'An id is a UUID; 4 hex digits of its start and more will do.',
)

const wholeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A whole id needs no search. */
const idOf = async (queue: Queue, given: string): Promise<string> =>
  wholeId.test(given) ? given : queue.resolve(given)

const naming = ['NOT_FOUND', 'AMBIGUOUS', 'CORRUPT']

/** So many are looked at for one page: whoever wants more goes on from there. */
const readMax = 20_000
const limitDefault = 50

const { task_type: type, ...given } = givenFields(taskFields)

const row = operationsOf<Queue, Condition>()

/** Doing twice what holds already changes nothing, and is fine. */
const verb = (
  name: 'replay' | 'archive' | 'unarchive' | 'cancel',
  words: Required<Pick<Operation, 'summary' | 'details'>>,
) =>
  row({
    ...words,
    http: `POST /api/queue/tasks/:id/${name}`,
    input: { id },
    output: one(taskShape),
    errors: [...naming, 'REFUSED'],
    heedsState: true,
    run: async (queue, { id }, { on }) => (await queue[name](await idOf(queue, id), on)).task,
  })

/** All that can be asked of the queue from outside. */
export const operations = {
  list: row({
    http: 'GET /api/queue/tasks',
    summary: 'List tasks of the queue',
    details: `The newest first; ${limitDefault} unless a limit is given. Archived ones are shown only by their status. After ${readMax} tasks that do not match a page ends (pending and running ones come first, from their index, then up to 1,000 others are looked at), and \`X-Next-Cursor\` leads on. A large input or output is null, and \`input_omitted\` or \`output_omitted\` true.`,
    input: {
      status: optional(oneOf(statuses), 'Only in this status.'),
      type: optional(filled, 'Only of this type.'),
      shard: optional(
        oneOf([...shards, ...shards.slice(10).map((digit) => digit.toUpperCase())]),
        'Only of this shard.',
      ),
      text: optional(
        kind<string>({ ...filled.schema, maxLength: 200 }, () => true),
        'Somewhere in its id, type, worker, key, error, input or output.',
      ),
      ...cursorInputs,
    },
    output: steps(taskShape, 'A page of tasks.', limitDefault),
    run: async (queue, { limit = limitDefault, ...asked }, { share }) => {
      // All steps of a page together look at so many.
      const most = Math.ceil(readMax * share)
      const { tasks: items, cursor } = await queue.list({ ...asked, limit, readMax: most })
      return { items, cursor, gaveUp: items.length < limit && cursor !== null }
    },
  }),
  submit: row({
    http: 'POST /api/queue/tasks',
    summary: 'Submit a task to the queue',
    details:
      'If a task has its key already, you get that task. It may be cancelled or failed: check `status`, and replay it if it should run. An `id` that is taken is a conflict.',
    input: {
      ...optionals(given),
      type: required(filled, type.about),
      input: optional(json<unknown>(), 'Any JSON of at most 1,000,000 bytes (default null).'),
      delay_ms: optional(
        kind<number>({ type: 'number', minimum: 0 }, () => true),
        'How long from now until it can be claimed, in place of `available_at`.',
      ),
    },
    output: ensured(taskShape),
    errors: ['CONFLICT', 'CORRUPT'],
    repeatable: 'idempotency_key',
    // The library has its names in camelCase, and durations in milliseconds.
    run: async (queue, { timeout_seconds: seconds, ...rest }) => {
      const submission = {
        ...(camelCased(rest) as unknown as Submission),
        ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }),
      }
      const { task: item, isNew } = await queue.ensure(submission, { full: true })
      return { item, isNew }
    },
  }),
  get: row({
    http: 'GET /api/queue/tasks/:id',
    summary: 'Read a task of the queue',
    details: 'With its input and output, however large.',
    input: { id },
    output: one(taskShape),
    errors: naming,
    run: async (queue, { id }) => queue.get(await idOf(queue, id), { full: true }),
  }),
  history: row({
    http: 'GET /api/queue/tasks/:id/history',
    summary: 'List the states that a task of the queue has had',
    details: 'The oldest first; all, unless a limit is given.',
    input: { id, ...offsetInputs },
    output: whole(versionShape, 'Its versions.'),
    errors: naming,
    run: async (queue, { id }) => queue.history(await idOf(queue, id)),
  }),
  replay: verb('replay', {
    summary: 'Run a failed or cancelled task again',
    details: 'It is pending again, with all of its retries.',
  }),
  archive: verb('archive', {
    summary: 'Archive a completed, failed or cancelled task',
    details: 'Lists show it only where archived ones are asked for.',
  }),
  unarchive: verb('unarchive', {
    summary: 'Bring an archived task back',
    details: 'To the status that it had before.',
  }),
  cancel: verb('cancel', {
    summary: 'Cancel a pending task, or ask for the end of a running one',
    details: 'While it still runs, `cancel_requested` is true.',
  }),
  stats: row({
    http: 'GET /api/queue/stats',
    summary: 'Count the tasks of the queue by status and type',
    details: 'Where that takes long, it may be a few seconds old.',
    input: {},
    output: one(statsShape, 'The counts.'),
    run: (queue) => queue.stats(),
  }),
  workers: row({
    http: 'GET /api/queue/workers',
    summary: 'List the workers',
    details: 'One that has been silent for a minute is stale.',
    input: offsetInputs,
    output: whole(workerShape, 'Workers by id.'),
    run: (queue) => queue.workers(),
  }),
}
