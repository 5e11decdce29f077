import type { RefusalKind } from '../../collection/index.ts'
import type { StoreError, StoreErrorReason } from '../../store/index.ts'

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

/** The word for a failure in `--json`; each belongs to one exit code. */
export const exitCodeOfWord = {
  not_found: exitCodes.notFound,
  ambiguous: exitCodes.conflict,
  invalid: exitCodes.usage,
  conflict: exitCodes.conflict,
  refused: exitCodes.refused,
  no_store: exitCodes.unusableStore,
  unavailable: exitCodes.unavailable,
  corrupt: exitCodes.failed,
  internal: exitCodes.failed,
} as const satisfies Record<RefusalKind | string, number>

export type FailureWord = keyof typeof exitCodeOfWord

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

/** What a failure of the store is called by programs. */
export function wordOf({ code, reason }: StoreError): FailureWord {
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
