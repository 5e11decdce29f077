import type { Store } from '../../store.ts'

/** How often the driver asked the server for what; S3 bills by it. */
export interface S3Requests {
  /** Objects that were read. */
  GET: number
  /** Objects whose metadata were looked at. */
  HEAD: number
  /** Objects that were written, or tried to be. */
  PUT: number
  /** Objects that were deleted, or tried to be. */
  DELETE: number
  /** Pages of ListObjectsV2 and of ListObjectVersions. */
  LIST: number
}

const counts = new WeakMap<Store, S3Requests>()

/** Lets {@link s3Requests} find the counters of a store. */
export const tellRequests = (store: Store, requests: S3Requests): void => {
  counts.set(store, requests)
}

/** How many requests an open S3 store has made so far, by kind; undefined for another store. */
export const s3Requests = (store: Store): Readonly<S3Requests> | undefined => counts.get(store)
