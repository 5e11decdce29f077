import { memory } from './drivers/memory/scheme.ts'
import { nats } from './drivers/nats/scheme.ts'
import { s3 } from './drivers/s3/scheme.ts'
import { sqlite } from './drivers/sqlite/scheme.ts'
import type { Scheme } from './scheme.ts'

/** The drivers by the schemes of their URLs: a new one is a line here. */
export const schemes: Readonly<Record<string, Scheme>> = { sqlite, nats, s3, memory }
