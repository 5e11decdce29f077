import { Refusal } from '../collection/index.ts'

/** A text, tag, prefix or limit that can never be right. */
export class InvalidTaskError extends Refusal {
  override readonly name = 'InvalidTaskError'
  readonly kind = 'invalid'
}

/** No task has an id that starts so. */
export class TaskNotFoundError extends Refusal {
  override readonly name = 'TaskNotFoundError'
  readonly kind = 'not_found'
  /** What was asked for. */
  readonly prefix: string

  constructor(prefix: string) {
    super(`No task has an id that starts with ${prefix}.`, 'List the tasks to see their ids.')
    this.prefix = prefix
  }
}

/** The task has changed since the state that was asked for. */
export class ChangedMeanwhileError extends Refusal {
  override readonly name = 'ChangedMeanwhileError'
  readonly kind = 'conflict'
  /** What programs know it by. */
  readonly code = 'CHANGED_MEANWHILE'

  constructor() {
    super('The task has been changed meanwhile.', 'Look at it now, and decide again.')
  }
}

/** Several tasks have an id that starts so. */
export class AmbiguousPrefixError extends Refusal {
  override readonly name = 'AmbiguousPrefixError'
  readonly kind = 'ambiguous'
  /** What was asked for. */
  readonly prefix: string
  /** The full ids of the first 20. */
  override readonly candidates: readonly string[]
  /** How many there are. */
  override readonly count: number

  constructor(prefix: string, candidates: readonly string[], count: number) {
    super(`${count} tasks have an id that starts with ${prefix}.`, 'Give more of the id.')
    this.prefix = prefix
    this.candidates = candidates
    this.count = count
  }
}
