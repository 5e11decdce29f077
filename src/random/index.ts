const pool = new Uint8Array(4096)
let used = pool.length

/** A random byte. They are drawn from the system many at a time: one by one they cost ten times as much. */
export function randomByte(): number {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  return pool[used++] as number
}

/** One of 256 numbers from 0 up to 1, as makers of ids take them. */
export const randomFraction = (): number => randomByte() / 256
