import { kinds, Refusal } from '../../collection/index.ts'
import {
  firstOf,
  type Failure as ModelFailure,
  failureOf as modelFailureOf,
} from '../../failure/index.ts'
import { isBegunByAdding, StoreError } from '../../store/internal.ts'
import type { Program } from './command.ts'
import { type OfferedCommand, TrustError, UsageError } from './error.ts'

/** Anything that can go wrong, as programs tell it. */
export interface Failure extends ModelFailure {
  readonly exit: number
  /** More for a person to read, below the message. */
  readonly lines?: readonly string[]
  /** The commands there are, where the word for one was missing or unknown. */
  readonly commands?: readonly OfferedCommand[] | undefined
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

/** What was thrown, as programs tell it: what it is called everywhere, and how a program ends by it. */
export function failureOf(thrown: unknown, program: Program): Failure {
  if (thrown instanceof ExplainedError)
    return { ...failureOf(thrown.cause, program), lines: thrown.lines }
  const cause = firstOf(thrown)
  if (cause instanceof UsageError) {
    const { what, next, commands } = cause
    const failure = ended({ code: 'invalid', message: what, next })
    return commands ? { ...failure, commands, lines: offerLines(commands) } : failure
  }
  if (cause instanceof TrustError)
    return ended({ code: 'no_store', message: cause.what, next: cause.next })
  const failure = modelFailureOf(cause)
  if (failure.code === 'internal')
    return ended({ ...failure, next: failure.next ?? 'HOLDFAST_DEBUG=1 shows where it came from.' })
  const exit = cause instanceof Refusal ? program.exitCodeOf?.(cause) : undefined
  return { ...ended(failure), ...(exit !== undefined && { exit }) }
}

/** `s, start  start a session in this directory`. */
function offerLines(offers: readonly OfferedCommand[]): string[] {
  const names = offers.map(({ name, aliases }) => [name, ...aliases].join(', '))
  const columns = Math.max(0, ...names.map(({ length }) => length))
  return offers.map(({ about }, at) => `${(names[at] as string).padEnd(columns)}  ${about}`)
}

const ended = (failure: ModelFailure): Failure => ({
  ...failure,
  exit: kinds[failure.code].exit,
})

/** Says how to get a store, where there is none and a command of the program would make one. */
export function explainMissing(error: unknown, url: string, starter: string | undefined): unknown {
  const isMissing = error instanceof StoreError && error.reason === 'missing_store'
  // For one that can't be started so, what the driver says stands.
  if (!isMissing || starter === undefined || !isBegunByAdding(url, error)) return error
  const what = error.message.slice(0, -error.next.length).trimEnd()
  return new StoreError(
    'missing_store',
    what,
    `Start one with "${starter}", or name another with --store.`,
    error,
  )
}
