import {
  inlineBytesMax,
  operations,
  type Queue,
  type ShownTask,
  stateOf,
  type Task,
  type TaskVersion,
} from '../../queue/internal.ts'
import { isShowable, listedBytesMax } from '../content.ts'
import { stateHeader, tagged } from '../etag.ts'
import { type Shown, tableOf } from '../operations.ts'
import { explainRefusal } from '../refusals.ts'
import type { Answer, Table } from '../route.ts'
import type { Counts } from './counts.ts'

/** Tasks for workers on any number of machines. */
export const queueTable = (queue: Queue, counts: Counts): Table =>
  tableOf({
    name: 'Queue',
    about:
      'Tasks for workers on any number of machines. An id may be cut to 4 hex digits and more.',
    explain: explainRefusal,
    model: queue,
    operations,
    shapes: {
      QueueTask: taskShown,
      QueueVersion: versionShown,
      QueueStats: { headers: { Age: 'How old they are, in seconds.' } },
    },
    own: { stats: { handle: () => counted(counts) } },
    changed: () => counts.forget(),
  })

/** The state of a task, and until when its lease lasts: that is part of what a client reads, but not of what it means. */
const tagOf = (task: Task) =>
  tagged(stateOf(task), task.lease_expires_at === null ? 0 : Date.parse(task.lease_expires_at))

const taskShown: Shown<Task> = {
  // With all that it holds, unless nobody could read it.
  answer: (task) => ({
    status: 200,
    body: omitting(task, Number.POSITIVE_INFINITY),
    headers: tagOf(task),
  }),
  headers: stateHeader,
  at: ({ id }) => `/api/queue/tasks/${id}`,
  listed: (task) => omitting(task, listedBytesMax),
  // Each may have 128 KiB; to begin a step costs a bucket a list of its shards.
  readAtOnceMax: 250,
}

/** A task as it was; what lies elsewhere, because it is large, is left out. */
const versionShown: Shown<TaskVersion> = {
  listed: ({ version, at, task }) => ({ version, at, task: omitting(task, inlineBytesMax) }),
}

function omitting(task: Task, max: number): ShownTask {
  const isInputShown = isKept(task.input, task.input_ref) && isShowable(task.input, max)
  const isOutputShown = isKept(task.output, task.output_ref) && isShowable(task.output, max)
  return {
    ...task,
    ...(isInputShown ? {} : { input: null, input_omitted: true }),
    ...(isOutputShown ? {} : { output: null, output_omitted: true }),
  }
}

/** What lies elsewhere is null in the task, unless it was fetched. */
const isKept = (content: unknown, ref: string | null): boolean => ref === null || content !== null

/** The counts that all who ask share. */
async function counted(counts: Counts): Promise<Answer> {
  const { stats: body, startedAt } = await counts.now()
  const age = Math.round((performance.now() - startedAt) / 1000)
  return { status: 200, body, headers: { Age: String(age) } }
}
