import { vi } from 'vitest'

/** A machine with much to do can stand still for seconds, and that is nothing that a test is about. */
const patienceMs = 60_000

/** Checks over and over until nothing is wrong any more; fails as the check does where that never comes. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: patienceMs, interval: 50 })
