import { changedMeanwhile, refusal } from '../collection/index.ts'

/** A text, tag, prefix or limit that can never be right. */
export class InvalidTaskError extends refusal('InvalidTaskError', 'invalid') {}

/** No task has an id that starts so. */
export class TaskNotFoundError extends refusal(
  'TaskNotFoundError',
  'not_found',
  (prefix: string) => [
    `No task has an id that starts with ${prefix}.`,
    'List the tasks to see their ids.',
    { prefix },
  ],
) {
  /** What was asked for. */
  declare readonly prefix: string
}

/** The task has changed since the state that was asked for. */
export class ChangedMeanwhileError extends refusal('ChangedMeanwhileError', 'conflict', () => [
  ...changedMeanwhile('task'),
  { code: 'CHANGED_MEANWHILE' as const },
]) {
  /** What programs know it by. */
  declare readonly code: 'CHANGED_MEANWHILE'
}

/** Several tasks have an id that starts so. */
export class AmbiguousPrefixError extends refusal(
  'AmbiguousPrefixError',
  'ambiguous',
  (prefix: string, candidates: readonly string[], count: number) => [
    `${count} tasks have an id that starts with ${prefix}.`,
    'Give more of the id.',
    { prefix, candidates, count },
  ],
) {
  /** What was asked for. */
  declare readonly prefix: string
  /** The full ids of the first 20. */
  declare readonly candidates: readonly string[]
  /** How many there are. */
  declare readonly count: number
}
