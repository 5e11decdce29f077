import { type kinds, Refusal } from '../collection/index.ts'
import { StoreError, type StoreErrorReason } from '../store/internal.ts'

/** What anything that can go wrong is called, on every surface. */
export type FailureWord = keyof typeof kinds

/** Anything that can go wrong, as surfaces tell it. */
export interface Failure {
  readonly code: FailureWord
  /** What and why. */
  readonly message: string
  /** What to do about it: a sentence, or null. */
  readonly next: string | null
  /** For an ambiguous id: some of what it may mean, and how many there are in all. */
  readonly candidates?: readonly string[]
  readonly count?: number
  /** For a claim that is in the way: the agent that has it; null where nobody does. */
  readonly claimed_by?: string | null
}

/** How many candidates of an ambiguous id are shown. */
const candidatesMax = 20

/** What was thrown by a model or a store, as surfaces tell it: the one place where that is decided. */
export function failureOf(thrown: unknown): Failure {
  const first = firstOf(thrown)
  if (first instanceof Refusal) return ofModel(first)
  if (first instanceof StoreError) return ofStore(first)
  const message = first instanceof Error ? first.message : String(first)
  return { code: 'internal', message, next: null }
}

/** Of two failures the first: a store that fails while it is closed does so because of what went wrong before. */
export const firstOf = (thrown: unknown): unknown =>
  thrown instanceof Error && 'suppressed' in thrown ? firstOf(thrown.suppressed) : thrown

function ofModel(refusal: Refusal): Failure {
  const { kind: code, what: message, next, heldBy } = refusal
  const { candidates, count = candidates?.length } = refusal
  return {
    code,
    message,
    next,
    ...(candidates === undefined || count === undefined
      ? {}
      : { candidates: candidates.slice(0, candidatesMax), count }),
    ...(heldBy === undefined ? {} : { claimed_by: heldBy }),
  }
}

function ofStore(error: StoreError): Failure {
  const what = error.message.slice(0, -error.next.length).trimEnd()
  const isUnknown = error.code === 'unknown_outcome'
  return {
    code: wordOf(error),
    message: isUnknown ? `${what} The change may or may not have happened.` : what,
    next: error.next,
  }
}

/** Reasons that say more than the code they belong to. */
const unusable: ReadonlySet<StoreErrorReason> = new Set([
  'missing_store',
  'foreign_file',
  'foreign_server',
  'newer_schema',
  'permission',
  'read_only',
  'network_filesystem',
  'no_engine',
  'no_jetstream',
  'unsafe_server',
  'unversioned',
])

function wordOf({ code, reason }: StoreError): FailureWord {
  if (unusable.has(reason)) return 'no_store'
  switch (code) {
    // Reading again tells what became of a write whose answer was lost; that needs the store back first.
    case 'unavailable':
    case 'unknown_outcome':
      return 'unavailable'
    case 'invalid':
    case 'corrupt':
      return code
    default:
      return 'internal'
  }
}
