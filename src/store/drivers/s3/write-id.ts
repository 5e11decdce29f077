import { ulid } from 'ulid'
import { randomFraction } from '../../../random/index.ts'

/** An id that no other write has. */
export const newWriteId = (): string => ulid(undefined, randomFraction)
