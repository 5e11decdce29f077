export type { Abilities, PurgeOptions, Version } from './abilities.ts'
export { type CompeteOptions, compete, lost } from './compete.ts'
export { type S3Requests, s3Requests } from './drivers/s3/requests.ts'
export {
  StoreError,
  type StoreErrorCode,
  type StoreErrorReason,
  UnreadableValueError,
} from './error.ts'
export { eventLoopTurn } from './event-loop.ts'
export { type Check, clockCheck, examineS3, permissionCheck } from './examination.ts'
export { Feed } from './feed.ts'
export { guarded } from './guard.ts'
export {
  checkKey,
  checkPrefix,
  compareKeys,
  escapeSegment,
  isSegment,
  joinKey,
  type KeyRange,
  keyBytesMax,
  keyRange,
  namespaceOf,
  unescapeSegment,
} from './key.ts'
export { type Mutation, mutate } from './mutate.ts'
export { type OpenOptions, openStore, storeFile, storeUrlForms } from './open.ts'
export { type PageReader, paged } from './pages.ts'
export { publishSite, type SiteFile, type SiteReport } from './publish.ts'
export { shownUrl, withoutSecrets } from './shown-url.ts'
export {
  type CommitResult,
  commitWritesMax,
  create,
  type Entry,
  type Head,
  type ListOptions,
  remove,
  type Store,
  type StoreLimits,
  update,
  valueBytesMax,
  type WatchEvent,
  type Write,
  watchPendingMax,
} from './store.ts'
export { type CountedStore, counted, type StoreCounts } from './wrappers/counted.ts'
export { type Faults, flaky } from './wrappers/flaky.ts'
export { limited } from './wrappers/limited.ts'
export { prefixed } from './wrappers/prefixed.ts'
