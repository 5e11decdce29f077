import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Plans, SessionArchivedError } from '../../src/plan/index.ts'
import { altered } from '../store/altered.ts'
import { begun, told } from './meddled.ts'

describe('a session that is archived while it is changed', () => {
  const archiving = async (at: RegExp, lateMs: number) => {
    const { store, sid } = await begun(1000)
    let isArchived = false
    const archive = async () => {
      if (isArchived) return
      isArchived = true
      await new Plans(store).archive(sid)
    }
    const meddling = altered(store, {
      get: async (key) => {
        if (at.test(key)) await archive()
        return store.get(key)
      },
      commit: async (writes) => {
        await archive()
        return store.commit(writes)
      },
    })
    const plans = new Plans(meddling, { now: () => Date.now() - lateMs })
    await assert.rejects(plans.setGoal(sid, { title: 'Goal' }, told), SessionArchivedError)
    assert.equal((await plans.events(sid)).total, 0)
  }

  test('between its look and its commit takes no event', () => archiving(/goal/, 0))
  test('just before its commit takes no event, however late the clock is', () =>
    archiving(/nothing/, 3_600_000))

  test('keeps the time of its last change where the clock of the archiver is late', async () => {
    const { store, sid } = await begun(1000)
    await new Plans(store).setGoal(sid, { title: 'Goal' }, told)
    const before = (await new Plans(store).session(sid)).last_updated_at
    await new Plans(store, { now: () => Date.now() - 3_600_000 }).archive(sid)
    assert.equal((await new Plans(store).session(sid)).last_updated_at, before)
  })
})
