import { monotonicFactory } from 'ulid'
import { randomFraction } from '../random/index.ts'

/** Makes ids that sort by time, and those of one millisecond in the order in which they were made. */
export const idMaker = (): ((timeMs: number) => string) => monotonicFactory(randomFraction)
