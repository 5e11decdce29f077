import { Refusal } from '../../collection/index.ts'
import { StoreError } from '../../store/index.ts'
import type { Program } from './command.ts'
import { exitCodeOfWord, type FailureWord, wordOf } from './exit-code.ts'
import { UsageError } from './usage-error.ts'

/** Anything that can go wrong, as programs tell it. */
export interface Failure {
  readonly code: FailureWord
  /** What and why. */
  readonly message: string
  /** What to do about it: a sentence, or null. */
  readonly next: string | null
  readonly exit: number
  /** For an ambiguous prefix: some of what it may mean, and how many there are in all. */
  readonly candidates?: readonly string[]
  readonly count?: number
  /** More for a person to read, below the message. */
  readonly lines?: readonly string[]
}

/** A failure with more to read than its message. */
export class ExplainedError extends Error {
  override readonly name = 'ExplainedError'
  readonly lines: readonly string[]

  constructor(cause: unknown, lines: readonly string[]) {
    super('', { cause })
    this.lines = lines
  }
}

/** How many candidates of an ambiguous prefix are shown. */
export const candidatesMax = 20

/** What was thrown, as programs tell it: the one place where that is decided. */
export function failureOf(thrown: unknown, program: Program): Failure {
  if (thrown instanceof ExplainedError)
    return { ...failureOf(thrown.cause, program), lines: thrown.lines }
  // A store that fails while it is closed does so because of what went wrong before.
  if (thrown instanceof Error && 'suppressed' in thrown)
    return failureOf(thrown.suppressed, program)
  if (thrown instanceof UsageError) return failure('invalid', thrown.what, thrown.next)
  if (thrown instanceof Refusal) return ofModel(thrown, program)
  if (thrown instanceof StoreError) return ofStore(thrown)
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return failure('internal', message, 'HOLDFAST_DEBUG=1 shows where it came from.')
}

const failure = (code: FailureWord, message: string, next: string | null): Failure => ({
  code,
  message,
  next,
  exit: exitCodeOfWord[code],
})

function ofModel(refusal: Refusal, { exitCodeOf }: Program): Failure {
  const told = failure(refusal.kind, refusal.what, refusal.next)
  return { ...told, exit: exitCodeOf?.(refusal) ?? told.exit, ...candidatesOf(refusal) }
}

function candidatesOf(refusal: Refusal): Pick<Failure, 'candidates' | 'count'> {
  const { candidates, count = candidates?.length } = refusal
  if (candidates === undefined || count === undefined) return {}
  return { candidates: candidates.slice(0, candidatesMax), count }
}

function ofStore(error: StoreError): Failure {
  const what = error.message.slice(0, -error.next.length).trimEnd()
  const isUnknown = error.code === 'unknown_outcome'
  return failure(
    wordOf(error),
    isUnknown ? `${what} The change may or may not have happened.` : what,
    error.next,
  )
}
