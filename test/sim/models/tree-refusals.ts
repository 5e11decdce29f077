import type { Ask, Refused } from './tree-asks.ts'
import type { Forest, Stored } from './tree-record.ts'

/** The statuses of HTTP that go with codes. */
const statuses: Readonly<Record<string, number>> = {
  TASK_NOT_FOUND: 404,
  PARENT_NOT_FOUND: 400,
  INVALID_TRANSITION: 400,
  WOULD_CREATE_CYCLE: 400,
  ALREADY_CLAIMED: 409,
  NOT_CLAIMABLE: 409,
  TASK_ACTIVE: 409,
  HAS_ACTIVE_CHILDREN: 409,
  NOT_CLAIM_OWNER: 403,
  PRECONDITION_FAILED: 412,
}

const valid: Readonly<Record<string, readonly string[]>> = {
  open: ['in_progress'],
  in_progress: ['open', 'pending_merge', 'blocked', 'closed'],
  pending_merge: ['closed', 'blocked'],
  blocked: ['open', 'closed'],
  closed: [],
}

type Truth = (given: {
  readonly ask: Ask
  readonly details: Refused['details']
  readonly forest: Forest
  readonly task: Stored | null
}) => boolean

const isActive = (task: Stored | null): boolean =>
  task?.status === 'in_progress' || task?.status === 'pending_merge'

/** What must have been so at some moment of the call, by the code of its refusal. */
const truths: Readonly<Record<string, Truth>> = {
  TASK_NOT_FOUND: ({ ask, forest }) => !forest.isThere(ask.id),
  PARENT_NOT_FOUND: ({ ask, forest }) => {
    const parent = ask.verb === 'create' ? ask.id : (ask.to ?? '')
    return !forest.isThere(parent) || forest.isHidden(parent)
  },
  INVALID_TRANSITION: ({ details, task }) =>
    task?.status === details['current_status'] &&
    String(details['valid_transitions']) === String(valid[task?.status ?? '']),
  WOULD_CREATE_CYCLE: ({ ask, forest }) =>
    ask.to === ask.id || forest.isBelow(ask.to ?? '', ask.id),
  ALREADY_CLAIMED: ({ ask, details, task }) =>
    isActive(task) &&
    task?.claimed_by === details['claimed_by'] &&
    task?.claimed_at === details['claimed_at'] &&
    (task?.claimed_by !== ask.agent || ask.verb === 'claim'),
  // What is open nobody has, who asks for a claim of their own.
  NOT_CLAIMABLE: ({ ask, details, task }) =>
    task?.status === details['status'] && (ask.verb === 'reclaim' || task?.status !== 'open'),
  NOT_CLAIM_OWNER: ({ ask, details, task }) =>
    task?.claimed_by === details['claimed_by'] && task?.claimed_by !== ask.agent,
  TASK_ACTIVE: ({ details, task }) => isActive(task) && task?.status === details['status'],
  HAS_ACTIVE_CHILDREN: ({ ask, details, forest }) =>
    forest.isBelow(String(details['active_id']), ask.id) &&
    isActive(forest.get(String(details['active_id']))),
  PRECONDITION_FAILED: ({ ask, details, task }) =>
    task?.change.n === details['version'] && ask.version !== details['version'],
}

/** What is wrong with a refusal, if anything; `ever` asks whether something was so during the call. */
export function flawOf(
  ask: Ask,
  { code, status, details }: Refused,
  ever: (holds: (forest: Forest) => boolean) => boolean,
): string | null {
  const truth = truths[code]
  if (truth === undefined) return 'which nothing in this workload can lead to'
  if (status !== statuses[code]) return `with the status ${status}`
  const isTrue = ever((forest) => truth({ ask, details, forest, task: forest.get(ask.id) }))
  return isTrue ? null : 'which was true at no moment of the call'
}
