import { changed, type Note, type Told } from './change.ts'
import {
  AlreadyClaimedError,
  InvalidTransitionError,
  NotClaimableError,
  NotClaimOwnerError,
} from './error.ts'
import { isActive, moves, type Status } from './status.ts'
import { withTags } from './tags.ts'
import type { TaskDocument } from './task.ts'

/** What moves a task from one status to another. */
type Verb = (task: TaskDocument, told: Told, note?: Note) => TaskDocument

interface Rule {
  readonly from: readonly Status[]
  readonly to: Status
  /** Whether only the claimer may. */
  readonly isOwners: boolean
  /** Whether nobody has claimed it afterwards. */
  readonly frees: boolean
}

const rules = {
  release: { from: ['in_progress'], to: 'open', isOwners: true, frees: true },
  forceRelease: { from: ['in_progress'], to: 'open', isOwners: false, frees: true },
  complete: { from: ['in_progress'], to: 'pending_merge', isOwners: true, frees: false },
  completeUnreviewed: { from: ['in_progress'], to: 'closed', isOwners: true, frees: false },
  block: { from: ['in_progress'], to: 'blocked', isOwners: true, frees: true },
  unblock: { from: ['blocked'], to: 'open', isOwners: false, frees: true },
  approve: { from: ['pending_merge'], to: 'closed', isOwners: false, frees: false },
  reject: { from: ['pending_merge'], to: 'blocked', isOwners: false, frees: true },
  close: { from: ['blocked'], to: 'closed', isOwners: false, frees: false },
} satisfies Record<string, Rule>

export type VerbName = keyof typeof rules

/** All verbs but claiming, which has rules of its own. */
export const verbs = Object.fromEntries(
  Object.entries<Rule>(rules).map(([name, rule]) => [name, verbOf(rule)]),
) as Readonly<Record<VerbName, Verb>>

function verbOf({ from, to, isOwners, frees }: Rule): Verb {
  return (task, told, note = {}) => {
    const { status, claimed_by } = task
    // Where nobody has claimed it there is no owner to ask; the status says why not.
    if (isOwners && claimed_by !== null && claimed_by !== told.by)
      throw new NotClaimOwnerError(claimed_by)
    if (!from.includes(status)) throw new InvalidTransitionError(status, to, moves[status])
    const freed = frees ? { claimed_by: null, claimed_at: null } : {}
    return changed(task, { status: to, ...freed }, told, { note })
  }
}

interface Claiming {
  readonly tags?: readonly string[]
  readonly grimoire: string | null
  readonly note?: Note
}

/** Takes an open task, and notes what was selected for it. */
export function claim(
  task: TaskDocument,
  told: Told,
  { tags = [], grimoire, note }: Claiming,
): TaskDocument {
  checkClaimable(task)
  const claimed = { status: 'in_progress', claimed_by: told.by, claimed_at: told.at } as const
  const edit = { ...claimed, grimoire, tags: withTags(task.tags, tags) }
  return changed(task, edit, told, { ...(note ? { note } : {}) })
}

export function checkClaimable({ status, claimed_by, claimed_at }: TaskDocument): void {
  if (status === 'in_progress') throw new AlreadyClaimedError(claimed_by, claimed_at)
  if (status !== 'open') throw new NotClaimableError(status, claimed_by)
}

/**
 * Says whether a task in this status is so already for who asks. What another agent has claimed or completed is not: who
 * asks for that too has lost, and must not take it for a success. What is closed is closed for everybody.
 */
export function isAlready(task: TaskDocument, wanted: Status, by: string): boolean {
  const { status, claimed_by, claimed_at } = task
  if (status !== wanted) return false
  if (isActive(status) && claimed_by !== by) throw new AlreadyClaimedError(claimed_by, claimed_at)
  return true
}

/** Says whether an agent has the task; it changes nothing, not even the time of the claim. */
export function checkReclaim({ status, claimed_by, claimed_at }: TaskDocument, by: string): void {
  if (status !== 'in_progress') throw new NotClaimableError(status, claimed_by)
  if (claimed_by !== by) throw new AlreadyClaimedError(claimed_by, claimed_at)
}

/** Makes a move by its verb, under the rules of that; where none makes it, there is no owner to ask. */
export function move(task: TaskDocument, to: Goal, told: Told, note: Note): TaskDocument {
  const { status } = task
  if (isAlready(task, to, told.by)) return task
  if (moves[status][to] === undefined) throw new InvalidTransitionError(status, to, moves[status])
  return verbs[verbFor(status, to)](task, told, note)
}

/** What is reached by other ways than a claim. */
type Goal = Exclude<Status, 'in_progress'>

function verbFor(from: Status, to: Goal): VerbName {
  if (to === 'open') return from === 'blocked' ? 'unblock' : 'release'
  if (to === 'pending_merge') return 'complete'
  if (to === 'blocked') return from === 'pending_merge' ? 'reject' : 'block'
  if (from === 'pending_merge') return 'approve'
  return from === 'blocked' ? 'close' : 'completeUnreviewed'
}
