import { type ObjectSchema, objectOf } from '../../schema/index.ts'
import {
  type By,
  type Note,
  PreconditionFailedError,
  type Status,
  type Task,
  type TaskTree,
} from '../../tree/internal.ts'
import { HttpError } from '../error.ts'
import type { Call, Route, Table } from '../route.ts'
import { byOf, changing, isNamed, taskAnswer } from './caller.ts'
import { agentHeader, agentRequired, idParam, ifMatch } from './fields.ts'
import { changedOutcome, onChanging, onReading, restoredOutcome } from './outcomes.ts'
import { given } from './schemas.ts'

interface VerbRow {
  readonly name: string
  readonly summary: string
  readonly details?: string
  /** Whether it must be said who asks. */
  readonly isNamed?: true
  /** Whether it only looks. */
  readonly isReading?: true
  readonly fields?: ObjectSchema
  readonly query?: Route['query']
  readonly adminIf?: Route['adminIf']
  /** The task as it is now, if left out. */
  readonly outcomes?: Route['outcomes']
  readonly errors: readonly string[]
  readonly run: (tree: TaskTree, id: string, by: By, call: Call) => Promise<Task>
}

const reasonOnly = objectOf({ reason: given.reason })
const moved = ['INVALID_TRANSITION']
const owned = ['NOT_CLAIM_OWNER', ...moved]

const rows: readonly VerbRow[] = [
  {
    name: 'claim',
    summary: 'Claim an open task',
    details: 'Adds tags in the same change, and notes which grimoire was selected.',
    isNamed: true,
    fields: objectOf({ tags: given.tags }),
    errors: ['ALREADY_CLAIMED', 'NOT_CLAIMABLE', 'INVALID_TAG'],
    run: (tree, id, by, { body }) => tree.claim(id, by, body as { tags?: string[] }),
  },
  {
    name: 'reclaim',
    summary: 'Make sure that the task is claimed by this agent',
    details: 'Changes nothing, not even the time of the claim.',
    isNamed: true,
    isReading: true,
    errors: ['ALREADY_CLAIMED', 'NOT_CLAIMABLE'],
    run: (tree, id, by) => tree.reclaim(id, by),
  },
  {
    name: 'release',
    summary: 'Give a claimed task back',
    isNamed: true,
    query: {
      force: { schema: { type: 'boolean', description: 'Also what another has claimed.' } },
    },
    adminIf: { in: 'query', field: 'force', value: true },
    errors: owned,
    run: (tree, id, by, { query }) => tree.release(id, by, { force: query['force'] === true }),
  },
  {
    name: 'complete',
    summary: 'Finish a claimed task',
    details: 'It waits for approval then, or is closed at once where review is skipped.',
    isNamed: true,
    fields: objectOf({
      summary: { ...given.reason },
      result: { description: 'Any JSON of at most 64 KiB; the history keeps it.' },
      skip_review: { type: 'boolean' },
    }),
    errors: owned,
    run: (tree, id, by, { body }) => tree.complete(id, by, body as Note),
  },
  {
    name: 'block',
    summary: 'Say that a claimed task can’t go on',
    details: 'The claim is released.',
    isNamed: true,
    fields: reasonOnly,
    errors: owned,
    run: (tree, id, by, { body }) => tree.block(id, by, body as Note),
  },
  {
    name: 'unblock',
    summary: 'Open a blocked task again',
    errors: moved,
    run: (tree, id, by) => tree.unblock(id, by),
  },
  {
    name: 'approve',
    summary: 'Close a task that waits for approval',
    errors: moved,
    run: (tree, id, by) => tree.approve(id, by),
  },
  {
    name: 'reject',
    summary: 'Block a task that waits for approval',
    fields: reasonOnly,
    errors: moved,
    run: (tree, id, by, { body }) => tree.reject(id, by, body as Note),
  },
  {
    name: 'restore',
    summary: 'Bring back what retention has hidden',
    details:
      'With the task comes back all that was hidden together with it: what is below it, and what it is a part of. `restored` says how many that are. What was hidden at another time stays hidden.',
    outcomes: restoredOutcome,
    errors: [],
    run: (tree, id, by) => tree.restore(id, by),
  },
]

export const verbs = (tree: TaskTree): Table => ({
  name: 'Work',
  about: 'From open to closed. A verb is strict: doing it twice is an error.',
  routes: [...rows.map((row) => verbRoute(tree, row)), statusRoute(tree)],
})

function verbRoute(tree: TaskTree, row: VerbRow): Route {
  return {
    method: 'POST',
    path: `/api/tasks/:id/${row.name}`,
    role: 'work',
    summary: row.summary,
    ...(row.details === undefined ? {} : { details: row.details }),
    params: idParam,
    ...(row.query ? { query: row.query } : {}),
    ...(row.adminIf ? { adminIf: row.adminIf } : {}),
    headers: {
      ...(row.isNamed ? agentRequired : agentHeader),
      ...(row.isReading ? {} : ifMatch),
    },
    ...(row.fields ? { body: { schema: row.fields, isOptional: true } } : {}),
    outcomes: row.outcomes ?? changedOutcome,
    errors: [...(row.isReading ? [...onReading, 'MISSING_AGENT'] : onChanging), ...row.errors],
    handle: changing((id, by, call) => row.run(tree, id, by, call)),
  }
}

interface StatusBody extends Note {
  readonly status: Status
}

const statusRoute = (tree: TaskTree): Route<StatusBody> => ({
  method: 'PATCH',
  path: '/api/tasks/:id/status',
  role: 'work',
  summary: 'Move a task to a status',
  details:
    'Runs the verb that makes the move, under the same rules. The status that it has already changes nothing, which `X-Changed: false` says; but a task that another agent has claimed or completed is ALREADY_CLAIMED.',
  params: idParam,
  headers: { ...agentHeader, ...ifMatch },
  body: {
    schema: objectOf({ status: given.status, reason: given.reason }, { required: ['status'] }),
  },
  outcomes: changedOutcome,
  errors: [...onChanging, ...owned, 'INVALID_STATUS', 'ALREADY_CLAIMED', 'NOT_CLAIMABLE'],
  handle: async (call) => taskAnswer(await setStatus(tree, call)),
})

async function setStatus(tree: TaskTree, call: Call<StatusBody>): Promise<Task> {
  const id = call.params['id'] as string
  const { status, ...said } = call.body
  const by = byOf(call)
  if (isNamed(call)) return tree.setStatus(id, status, by, said)
  // Which verb it is, and so whether it needs to know who asks, only the task itself can tell.
  for (;;) {
    const { task, version } = await tree.getVersion(id)
    const isOwners = status === 'in_progress' || task.status === 'in_progress'
    const isAnothers = status === 'pending_merge' && task.status === 'pending_merge'
    if (isOwners || isAnothers) throw missingAgent()
    try {
      return await tree.setStatus(id, status, { version, ...by }, said)
    } catch (error) {
      const isLate = error instanceof PreconditionFailedError && by.version === undefined
      if (!isLate) throw error
    }
  }
}

const missingAgent = (): HttpError =>
  new HttpError(
    { code: 'MISSING_AGENT', status: 400 },
    'It is not said which agent asks. Give the header X-Agent-ID.',
    { details: { header: 'x-agent-id' } },
  )
