import type { Stored } from './tree-record.ts'

export type Verb =
  | 'create'
  | 'claim'
  | 'reclaim'
  | 'release'
  | 'complete'
  | 'block'
  | 'unblock'
  | 'approve'
  | 'reject'
  | 'setStatus'
  | 'edit'
  | 'addTags'
  | 'setTags'
  | 'removeTags'
  | 'reparent'
  | 'restore'
  | 'delete'

/** What a client asks of one task. */
export interface Ask {
  readonly verb: Verb
  readonly agent: string
  /** Of a creation, the parent; '' for none. */
  readonly id: string
  /** Goes into what is written, so that it is known again. */
  readonly mark?: string | undefined
  /** A status, or a parent. */
  readonly to?: string | null | undefined
  readonly tags?: readonly string[] | undefined
  readonly isForced?: boolean | undefined
  readonly isUnreviewed?: boolean | undefined
  /** Only in this version. */
  readonly version?: number | undefined
}

/** A task as a client sees it. */
export type Seen = Omit<Stored, 'change' | 'doomed' | 'created_by'> & { readonly depth: number }

const shownFields = [
  ...(['id', 'parent_id', 'title', 'status', 'priority', 'tags', 'claimed_by'] as const),
  ...(['claimed_at', 'created_at', 'updated_at', 'deleted_at'] as const),
]

/** Whether a task that somebody was shown is one that was written. */
export const isSame = (seen: Partial<Seen>, task: Stored | null): boolean =>
  task !== null &&
  shownFields.every((field) => String(seen[field] ?? '') === String(task[field] ?? ''))

/** What a client hears of a change. */
export interface Said {
  readonly task: Seen
  readonly version: number | undefined
  readonly isChanged: boolean
  readonly restored?: number | undefined
}

/** A refusal as a client hears it. */
export interface Refused {
  readonly code: string
  readonly status: number
  readonly details: Readonly<Record<string, unknown>>
}

type Change = (ask: Ask, before: Stored, after: Stored) => boolean

const goes =
  (from: string, to: string): Change =>
  (_, before, after) =>
    before.status === from && after.status === to

const retags: Change = (_, before, after) => before.tags.join() !== after.tags.join()

/** Which change of a task an ask is, without regard to who makes it. */
export const changeOf: Readonly<Record<Exclude<Verb, 'create'>, Change>> = {
  claim: goes('open', 'in_progress'),
  reclaim: () => false,
  release: goes('in_progress', 'open'),
  complete: ({ isUnreviewed }, before, after) =>
    before.status === 'in_progress' && after.status === (isUnreviewed ? 'closed' : 'pending_merge'),
  block: goes('in_progress', 'blocked'),
  unblock: goes('blocked', 'open'),
  approve: goes('pending_merge', 'closed'),
  reject: goes('pending_merge', 'blocked'),
  setStatus: ({ to }, before, after) => before.status !== to && after.status === to,
  edit: ({ mark }, _, after) => after.title === mark,
  addTags: retags,
  setTags: retags,
  removeTags: retags,
  reparent: ({ to }, before, after) => before.parent_id !== to && after.parent_id === to,
  restore: (_, before, after) => before.deleted_at !== null && after.deleted_at === null,
  delete: (_, before, after) => before.doomed === null && after.doomed !== null,
}

type State = (ask: Ask, task: Stored) => boolean

const holdsTags: State = ({ tags = [] }, task) => tags.every((tag) => task.tags.includes(tag))

/** Whether a task is already as is asked; verbs that are not here are strict, and refuse then. */
export const alreadyOf: Readonly<Partial<Record<Verb, State>>> = {
  reclaim: ({ agent }, task) => task.status === 'in_progress' && task.claimed_by === agent,
  setStatus: ({ to, agent }, task) =>
    task.status === to &&
    (!['in_progress', 'pending_merge'].includes(task.status) || task.claimed_by === agent),
  edit: ({ mark }, task) => task.title === mark,
  addTags: holdsTags,
  setTags: ({ tags = [] }, task) => task.tags.join() === tags.join(),
  removeTags: ({ tags = [] }, task) => !tags.some((tag) => task.tags.includes(tag)),
  reparent: ({ to }, task) => task.parent_id === to,
  restore: (_, task) => task.deleted_at === null,
}
