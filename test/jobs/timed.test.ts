import assert from 'node:assert/strict'
import { test } from 'vitest'
import { TaskManager } from '../../src/jobs/index.ts'
import { flaky, limited, openStore } from '../../src/store/index.ts'
import { measured } from '../rounds.ts'
import { bytes } from './kit.ts'

const claimTtlMs = 1_000

/** How old claims are when workers get them: 48 workers race for 120 tasks. */
async function agesOfClaims(): Promise<number[]> {
  const inner = await openStore('memory:')
  const slow = () => limited(flaky(inner, { delayMsMax: 30 }), 1)
  await using submitter = new TaskManager(limited(inner, 1))
  await submitter.submitMany(Array.from({ length: 120 }, () => ({ payload: bytes('x') })))
  const ages: number[] = []
  const work = async (name: string) => {
    await using manager = new TaskManager(slow(), { claimTtlMs })
    for (let task = await manager.claimNext(name); task; task = await manager.claimNext(name)) {
      ages.push(Date.now() - (task.claimedAt?.getTime() ?? 0))
      const claim = { workerId: name, attempt: task.attempts, claimToken: task.claimToken }
      await manager.complete(task.id, bytes('y'), claim).catch(() => {})
    }
  }
  await Promise.all(Array.from({ length: 48 }, (_, at) => work(`worker-${at}`)))
  return ages
}

test('48 workers on a store that commits one write at a time: no claim is past its time at birth', async () => {
  // A machine that stands still for a second makes any claim late.
  const late = await measured(
    async () => {
      const ages = await agesOfClaims().catch((error: Error) => error)
      if (ages instanceof Error) return [ages.message]
      assert.ok(ages.length >= 120)
      return ages.filter((ageMs) => ageMs >= claimTtlMs)
    },
    (found) => found.length === 0,
  )
  assert.deepEqual(late, [])
})
