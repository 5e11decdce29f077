import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Queue } from '../../src/queue/index.ts'
import { openStore, StoreError, type Write } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { Hand } from './hand.ts'

const isTask = ({ key }: Write): boolean => key.startsWith('qo/tasks/')

describe('an extension of a lease whose answer was lost is never made twice', () => {
  for (const isMade of [true, false])
    for (const others of ['nobody', 'a renewal', 'a cancellation'] as const)
      test(`where it was ${isMade ? 'made' : 'not made'}, and ${others} came next`, async () => {
        await using store = await openStore('memory:')
        const queue = new Queue(store)
        const hand = new Hand(store)
        const { id } = await queue.submit({ type: 'email', timeoutMs: 60_000 })
        await hand.claim(id)
        const endOfLease = async () => Date.parse((await queue.get(id)).lease_expires_at as string)
        const before = await endOfLease()
        let isLost = false
        const losing = altered(store, {
          commit: async (given) => {
            if (isLost || !given.some(isTask)) return store.commit(given)
            isLost = true
            if (isMade) await store.commit(given)
            if (others === 'a renewal') await hand.renew(id, (await endOfLease()) + 7_000)
            if (others === 'a cancellation') await queue.cancel(id)
            throw new StoreError('lost_answer', 'The answer was lost.', 'Read again.')
          },
        })
        const extension = new Queue(losing).extend(id, 30_000)
        if (others === 'nobody') assert.equal((await extension).isChanged, true)
        else await assert.rejects(extension, { code: 'unknown_outcome' })
        const isExtended = isMade || others === 'nobody'
        const expected = (isExtended ? 30_000 : 0) + (others === 'a renewal' ? 7_000 : 0)
        assert.equal((await endOfLease()) - before, expected)
      })
})
