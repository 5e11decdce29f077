export type { Abilities, PurgeOptions, Version } from './abilities.ts'
export {
  StoreError,
  type StoreErrorCode,
  type StoreErrorReason,
  UnreadableValueError,
} from './error.ts'
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
export { shownUrl } from './shown-url.ts'
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
} from './store.ts'
export { type CountedStore, counted, type StoreCounts } from './wrappers/counted.ts'
export { type Faults, flaky } from './wrappers/flaky.ts'
export { limited } from './wrappers/limited.ts'
export { prefixed } from './wrappers/prefixed.ts'
