import { Refusal } from '../../collection/index.ts'
import { firstOf, type Failure as Told, failureOf as told } from '../../failure/index.ts'
import type { Program } from './command.ts'
import { exitCodeOfWord } from './exit-code.ts'
import { TrustError } from './trust-error.ts'
import { type Offer, UsageError } from './usage-error.ts'

/** Anything that can go wrong, as programs tell it. */
export interface Failure extends Told {
  readonly exit: number
  /** More for a person to read, below the message. */
  readonly lines?: readonly string[]
  /** The commands there are, where the word for one was missing or unknown. */
  readonly commands?: readonly Offer[] | undefined
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
  const failure = told(cause)
  if (failure.code === 'internal')
    return ended({ ...failure, next: failure.next ?? 'HOLDFAST_DEBUG=1 shows where it came from.' })
  const exit = cause instanceof Refusal ? program.exitCodeOf?.(cause) : undefined
  return { ...ended(failure), ...(exit !== undefined && { exit }) }
}

/** `s, start  start a session in this directory`. */
function offerLines(offers: readonly Offer[]): string[] {
  const names = offers.map(({ name, aliases }) => [name, ...aliases].join(', '))
  const columns = Math.max(0, ...names.map(({ length }) => length))
  return offers.map(({ about }, at) => `${(names[at] as string).padEnd(columns)}  ${about}`)
}

const ended = (failure: Told): Failure => ({ ...failure, exit: exitCodeOfWord[failure.code] })
