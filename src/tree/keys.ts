/** Where everything lies: `coven/tasks` is the truth, the rest follows from it. */
export const prefixes = {
  tasks: 'coven/tasks',
  /** PARENT/ID */
  children: 'coven/children',
  /** TAG/ID */
  tags: 'coven/tags',
  /** PRIORITY/ID of what is open; ids sort by the time of creation */
  ready: 'coven/ready',
  /** PARENT/ID, or -/ID, of what is in progress or pending */
  active: 'coven/active',
  /** PARENT/ID of what is not closed; a task with an entry below it can't be started */
  unfinished: 'coven/unfinished',
  /** TIME/ID of what is closed, by its last change */
  closed: 'coven/closed',
  /** TIME/ID of what retention deleted */
  trash: 'coven/trash',
  /** ID of what is deleted, but not removed yet */
  doomed: 'coven/doomed',
  /** ID/NUMBER of past changes */
  history: 'coven/history',
  /** ID/TIME of restorations under way: of which task, and when that was hidden */
  restoring: 'coven/restoring',
} as const

/** Stands for the parent of a task that has none. */
export const noParent = '-'

/** A time as a segment that sorts as times do. */
export const timeSegment = (time: string | number): string =>
  Math.max(0, typeof time === 'number' ? Math.floor(time) : Date.parse(time))
    .toString(16)
    .padStart(12, '0')

/** The id with which a path of an index ends. */
export const lastSegment = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

/** Which change of the tree's shape is under way. */
export const structureKey = 'coven/meta/structure'
