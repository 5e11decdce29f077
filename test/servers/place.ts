import { accessSync, constants, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { isSoak } from '../size.ts'

/** Where Linux keeps files in memory. */
const memory = '/dev/shm'
const freeBytesMin = 4 * 2 ** 30

/**
 * Where servers of tests keep their data: in memory where there is plenty of it, for most of what they do is syncing small
 * files. `kill -9` takes none of it from there either. On disk where a test asks for it, and in
 * a soak.
 */
export function placeOfData(onDisk: boolean): string {
  if (onDisk || isSoak) return tmpdir()
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return Math.min(bavail * bsize, freemem()) >= freeBytesMin ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}
