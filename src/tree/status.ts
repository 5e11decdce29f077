import { jsonShown } from '../collection/index.ts'
import { InvalidTaskError } from './error.ts'
import { statuses } from './fields.ts'

export { statuses }

/** How far a task is. */
export type Status = (typeof statuses)[number]

/** Where a task can go from each status, and what leads there. */
export const moves: Readonly<Record<Status, Readonly<Partial<Record<Status, string>>>>> = {
  open: { in_progress: 'claim' },
  in_progress: {
    open: 'release',
    pending_merge: 'complete',
    blocked: 'block',
    closed: 'complete without review',
  },
  pending_merge: { closed: 'approve', blocked: 'reject' },
  blocked: { open: 'unblock', closed: 'close' },
  closed: {},
}

/** From which status a task may go to which others. */
export const transitions = Object.fromEntries(
  statuses.map((status) => [status, Object.keys(moves[status])]),
) as unknown as Readonly<Record<Status, readonly Status[]>>

/** Somebody works on it, or waits for its review. */
export const isActive = (status: Status): boolean =>
  status === 'in_progress' || status === 'pending_merge'

const isStatus = (given: unknown): given is Status => statuses.some((status) => status === given)

export function checkStatus(given: unknown): Status {
  if (isStatus(given)) return given
  throw new InvalidTaskError(
    'INVALID_STATUS',
    `Not a status: ${jsonShown(given)}.`,
    `Give one of ${statuses.join(', ')}.`,
  )
}
