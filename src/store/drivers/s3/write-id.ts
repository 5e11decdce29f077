import { randomFillSync } from 'node:crypto'
import { ulid } from 'ulid'

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

/** An id that no other write has. */
export const newWriteId = (): string => ulid(undefined, random)
