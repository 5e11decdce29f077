import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Plans } from '../../src/plan/index.ts'
import { altered } from '../store/altered.ts'
import { begun, told } from './meddled.ts'

test('events are as many as it says, also while others come', async () => {
  const { store, sid } = await begun(1000)
  await new Plans(store).setGoal(sid, { title: 'Goal' }, told)
  const growing = altered(store, {
    scan: async function* (prefix, options) {
      if (prefix.endsWith('/evt')) await new Plans(store).addTasks(sid, [{ title: 'One' }], told)
      yield* store.scan(prefix, options)
    },
  })
  const { events, total } = await new Plans(growing).events(sid)
  assert.equal(events.at(-1)?.seq, total)
})

test('a repair counts nothing that others append meanwhile', async () => {
  const { store, sid } = await begun(1000)
  await new Plans(store).setGoal(sid, { title: 'Goal' }, told)
  let nth = 0
  const growing = altered(store, {
    get: async (key) => {
      const entry = await store.get(key)
      if (key.endsWith('/evt_seq') && nth < 3)
        await new Plans(store).addTasks(sid, [{ title: `Task ${++nth}` }], told)
      return entry
    },
  })
  const { mended } = await new Plans(growing).repair()
  assert.deepEqual([nth, mended], [3, 0])
})
