import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { vi } from 'vitest'

/** Only what hangs takes so long: a machine with much to do can stand still for seconds, and that is nothing that a test is about. */
const patienceMs = 60_000

type Seen<T> = Exclude<T, false | null | undefined>

/** Checks until nothing is wrong any more; fails as the check does where that never comes. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: patienceMs, interval: 20 })

/** Looks until there is something to see, and answers with that. */
export const until = <T>(look: () => T | Promise<T>): Promise<Seen<T>> =>
  eventually(async () => {
    const seen = await look()
    assert.ok(seen, `It never came to that: ${look}`)
    return seen as Seen<T>
  })

/** Waits until the clock shows another millisecond: what is made then is later than all that was made before. */
export async function nextMillisecond(): Promise<void> {
  for (const now = Date.now(); Date.now() === now; ) await nextTurn()
}
