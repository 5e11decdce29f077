import { StoreError, type StoreErrorReason } from '../store/index.ts'

/** How every program of Holdfast ends. Scripts and agents branch on these: they never change their meaning. */
export const exitCodes = {
  ok: 0,
  /** Something that nobody foresaw: a fault of ours. */
  failed: 1,
  /** The command line can never work; correct it. */
  usage: 2,
  /** The store can't be used as it is; somebody must look at it or name another one. */
  unusableStore: 4,
  /** The store can't be reached at present; the same command may succeed later. */
  unavailable: 7,
} as const

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

/** The exit code for whatever a command threw. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof StoreError)) return exitCodes.failed
  if (unusable.has(error.reason)) return exitCodes.unusableStore
  if (error.code === 'unavailable') return exitCodes.unavailable
  return error.code === 'invalid' ? exitCodes.usage : exitCodes.failed
}
