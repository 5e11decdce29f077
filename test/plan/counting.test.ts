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
