export { inBatches } from './batches.ts'
export { type Codec, decodeText, encodeText, jsonCodec } from './codec.ts'
export { Collection, type CollectionOptions } from './collection.ts'
export { afterPart, commitInOrder, isUnknownOutcome, partlyDone } from './commit.ts'
export type { Definition } from './definition.ts'
export { isDeeper } from './depth.ts'
export { CorruptDocumentError, type Document, type DocumentEvent } from './document.ts'
export { EntryIndex } from './entry-index.ts'
export {
  ambiguous,
  answersOf,
  type CodesOf,
  changedMeanwhile,
  type ErrorsOf,
  errorsOf,
  refusal,
  row,
  taskExists,
} from './error-table.ts'
export { checkedFields } from './fields.ts'
export { type Condition, fingerprint } from './fingerprint.ts'
export { FirstSeen } from './first-seen.ts'
export type { Projection } from './fold.ts'
export type { Held } from './held.ts'
export type { Holdings, Space } from './holdings.ts'
export { inTurns, sortedInTurns } from './in-turns.ts'
export { jsonOf } from './json.ts'
export { Log } from './log.ts'
export type { Logged, Step, StoredEvent } from './logged.ts'
export type { DocumentMark, Index, Mark } from './mark.ts'
export { creationMsMax, Mender, orphanGraceMs } from './mender.ts'
export { pooled } from './pooled.ts'
export { kinds, Refusal, type RefusalKind } from './refusal.ts'
export { removalOf } from './removal.ts'
export type { RepairOptions, RepairPlace, RepairReport } from './repair.ts'
export {
  flawsOf,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from './schema.ts'
export { SetIndex } from './set-index.ts'
export { StateCache } from './state-cache.ts'
export { type SetBack, SteadyTime, setBackWarning } from './steady-time.ts'
export {
  checkedText,
  codeOf,
  cutError,
  jsonShown,
  shown,
  textBytesMax,
  textOf,
  titleCharactersMax,
} from './text.ts'
export { ulidMaker } from './ulids.ts'
export { Waiters } from './waiters.ts'
export type { Outcome } from './writer.ts'
