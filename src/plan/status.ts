import { shown } from '../collection/index.ts'
import { InvalidPlanError } from './error.ts'
import { statuses } from './fields.ts'

export { statuses }

/** How far a task is. */
export type Status = (typeof statuses)[number]

/** How a status is drawn, wherever a plan is shown. */
export const glyphs: Readonly<Record<Status, string>> = {
  pending: '☐',
  in_progress: '⟳',
  completed: '☑',
  failed: '☒',
  cancelled: '⊗',
}

/** Words that people and agents use for the same thing, in lower case and with underscores. */
const aliases: Readonly<Record<string, Status>> = {
  todo: 'pending',
  open: 'pending',
  waiting: 'pending',
  doing: 'in_progress',
  started: 'in_progress',
  start: 'in_progress',
  active: 'in_progress',
  inprogress: 'in_progress',
  progress: 'in_progress',
  wip: 'in_progress',
  done: 'completed',
  complete: 'completed',
  finished: 'completed',
  closed: 'completed',
  fail: 'failed',
  error: 'failed',
  cancel: 'cancelled',
  canceled: 'cancelled',
  dropped: 'cancelled',
  skipped: 'cancelled',
}

/** The status that a word means. Throws {@link InvalidPlanError}, which lists the valid ones. */
export function parseStatus(given: string): Status {
  const word = (typeof given === 'string' ? given : '')
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
  const known = statuses.find((status) => status === word)
  const alias = Object.hasOwn(aliases, word) ? aliases[word] : undefined
  const status = known ?? alias
  if (status) return status
  throw new InvalidPlanError(
    `There is no status ${shown(given)}.`,
    `Use one of ${statuses.join(', ')}.`,
  )
}

/** A task may not end so without a word why. */
export const needsReason = (status: Status): boolean =>
  status === 'failed' || status === 'cancelled'
