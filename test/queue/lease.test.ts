import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Queue } from '../../src/queue/index.ts'
import type { HeldTask } from '../../src/queue/repository.ts'
import { Lease } from '../../src/queue/worker/lease.ts'
import type { Workshop } from '../../src/queue/worker/workshop.ts'
import { openStore } from '../../src/store/index.ts'
import { Hand } from './hand.ts'

test('the time that the thread gives a handler to end is not taken for an extension of its limit', async () => {
  await using store = await openStore('memory:')
  const { id } = await new Queue(store).submit({ type: 't', timeoutMs: 5_000 })
  const hand = new Hand(store)
  const { lease_id } = await hand.claim(id)
  const upkeep: Promise<unknown>[] = []
  const shop: Partial<Workshop> = {
    settings: { leaseMs: 900 } as Workshop['settings'],
    repository: hand.repository,
    guard: { raise: () => {} } as unknown as Workshop['guard'],
    lookMs: 0,
    now: () => store.now(),
    kept: (work) => void upkeep.push(work),
  }
  const held = (await hand.repository.tasks.hold(id)) as HeldTask
  const claim = { held, claimedAt: performance.now(), endMs: 500, onAsked: () => {} }
  const lease = new Lease(shop as Workshop, claim)
  const limitAt = performance.now() + 1_000
  lease.begin(limitAt)
  // As the thread does where the lease would end right before the limit.
  const untilMs = (await store.now()) + 20_000
  await hand.repository.change(id, ['renew', { leaseId: lease_id as string, untilMs }])
  lease.tick(performance.now())
  await Promise.all(upkeep)
  assert.equal(upkeep.length, 1)
  assert.equal(lease.limit.at, limitAt)
})
