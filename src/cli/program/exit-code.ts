import type { FailureWord } from '../../failure/index.ts'

/** How every program of Holdfast ends. Scripts and agents branch on these: they never change their meaning. */
export const exitCodes = {
  ok: 0,
  /** Something that nobody foresaw, or a corrupt document that was asked for by name. */
  failed: 1,
  /** The command line can never work; correct it. */
  usage: 2,
  /** What was named is not there. */
  notFound: 3,
  /** The store can't be used as it is; somebody must look at it or name another one. */
  unusableStore: 4,
  /** Somebody else was first, or more than one thing is meant. */
  conflict: 5,
  /** A valid request that the present state refuses. */
  refused: 6,
  /** The store can't be reached at present; the same command may succeed later. */
  unavailable: 7,
} as const

/** What each word for a failure, as `--json` has it, ends a program with. */
export const exitCodeOfWord = {
  not_found: exitCodes.notFound,
  ambiguous: exitCodes.conflict,
  invalid: exitCodes.usage,
  conflict: exitCodes.conflict,
  not_owner: exitCodes.conflict,
  refused: exitCodes.refused,
  no_store: exitCodes.unusableStore,
  unavailable: exitCodes.unavailable,
  corrupt: exitCodes.failed,
  internal: exitCodes.failed,
} as const satisfies Readonly<Record<FailureWord, number>>
