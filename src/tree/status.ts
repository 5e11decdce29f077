import { InvalidTaskError } from './error.ts'

/**
 * open ──claim──▶ in_progress ──complete──▶ pending_merge ──approve──▶ closed
 *   ▲                │  │ │                      │                       ▲ ▲
 *   ├────release─────┘  │ └─complete, no review──┼───────────────────────┘ │
 *   │                 block                    reject                      │
 *   └──unblock─── blocked ◀──────────────────────┘                         │
 *                    └───────────────────close─────────────────────────────┘
 */
export const statuses = ['open', 'in_progress', 'pending_merge', 'blocked', 'closed'] as const
/** How far a task is. */
export type Status = (typeof statuses)[number]

/** Where a task can go from each status. */
export const transitions: Readonly<Record<Status, readonly Status[]>> = {
  open: ['in_progress'],
  in_progress: ['open', 'pending_merge', 'blocked', 'closed'],
  pending_merge: ['closed', 'blocked'],
  blocked: ['open', 'closed'],
  closed: [],
}

/** Somebody works on it, or waits for its review. */
export const isActive = (status: Status): boolean =>
  status === 'in_progress' || status === 'pending_merge'

export const isStatus = (given: unknown): given is Status =>
  statuses.some((status) => status === given)

export function checkStatus(given: unknown): Status {
  if (isStatus(given)) return given
  throw new InvalidTaskError(
    'INVALID_STATUS',
    `Not a status: ${JSON.stringify(given)?.slice(0, 80)}.`,
    `Give one of ${statuses.join(', ')}.`,
  )
}
