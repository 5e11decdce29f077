import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { Queue } from '../../src/queue/index.ts'
import type { CountedStore, Store } from '../../src/store/index.ts'

/** Tasks of another type than those that a test is about. */
export async function filled(store: Store, count: number, type = 'backlog'): Promise<void> {
  const queue = new Queue(store)
  const step = 1_000
  for (let at = 0; at < count; at += step) {
    const length = Math.min(step, count - at)
    await queue.submitMany(Array.from({ length }, () => ({ type })))
  }
}

/** Until it asks no more than an idle worker does, or one that makes so many lists a look. */
export async function settled(
  store: CountedStore,
  idleMsMax: number,
  listsALook = store.limits.listCost === 'prefix' ? 1 : 16,
): Promise<void> {
  for (const end = performance.now() + 120_000; performance.now() < end; ) {
    store.reset()
    // What it asks in this time is what is measured.
    await sleep(1_000)
    const { get, list, scan } = store.counts
    if (get === 0 && list + scan <= listsALook * (1 + 1_000 / idleMsMax)) return
  }
  assert.fail('it goes on and on')
}
