import { randomFillSync } from 'node:crypto'
import { monotonicFactory } from 'ulid'

const pool = new Uint8Array(4096)
let used = pool.length

/** Random numbers drawn from the system many at a time: one by one they cost ten times as much. */
function random(): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  return (pool[used++] as number) / 256
}

/** Makes ids that sort by time, and those of one millisecond in the order in which they were made. */
export const idMaker = (): ((timeMs: number) => string) => monotonicFactory(random)
