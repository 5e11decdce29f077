import { Refusal } from '../../collection/index.ts'

const shownMax = 60
const nextDefault =
  'Close what is open, and put a backslash before a character that stands for itself.'

/** A pattern for tags that can't be read, or would cost too much. */
export class BadGlobError extends Refusal {
  override readonly name = 'BadGlobError'
  readonly kind = 'invalid'
  readonly pattern: string
  /** What is wrong with it, as half a sentence: "the [ at 3 is not closed". */
  readonly why: string

  constructor(pattern: string, why: string, next = nextDefault) {
    super(`The pattern ${shownPattern(pattern)} is bad: ${why}.`, next)
    this.pattern = pattern
    this.why = why
  }
}

const shownPattern = (pattern: string): string =>
  pattern.length > shownMax
    ? `${JSON.stringify(pattern.slice(0, shownMax))}…`
    : JSON.stringify(pattern)
