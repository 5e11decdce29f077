import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Plans, stateOf } from '../../src/plan/index.ts'
import { altered } from '../store/altered.ts'
import { assertLayout } from './layout.ts'
import { begun, down, isUnknown, lostAnswer, meddled, told } from './meddled.ts'

describe.each([1000, 1])('where a commit holds %i writes', (writesMax) => {
  test('a change that arrives late is told as done', async () => {
    const { store, sid } = await begun(writesMax)
    const late: (() => unknown)[] = []
    const plans = new Plans(
      meddled(store, /evt/, async (nth, commit) => {
        if (nth === 1) {
          late.push(commit)
          throw lostAnswer()
        }
        for (const arrive of late.splice(0)) await arrive()
        return commit()
      }),
    )
    const { events, tasks } = await plans.apply(
      sid,
      { kind: 'add-tasks', tasks: [{ title: 'One' }] },
      told,
    )
    assert.deepEqual(
      events.map(({ seq }) => seq),
      [1],
    )
    assert.deepEqual(
      tasks.map(({ changed }) => changed),
      [true],
    )
    await assertLayout(store)
  })

  test('a goal that arrives late is not refused because of itself', async () => {
    const { store, sid } = await begun(writesMax)
    const late: (() => unknown)[] = []
    const meddling = meddled(store, /evt/, async (nth, commit) => {
      if (nth > 1) return commit()
      late.push(commit)
      throw lostAnswer()
    })
    const arriving = altered(meddling, {
      get: async (key) => {
        if (key.endsWith('/goal')) for (const arrive of late.splice(0)) await arrive()
        return store.get(key)
      },
    })
    const plans = new Plans(arriving)
    const events = await plans.setGoal(sid, { title: 'Goal' }, told)
    assert.equal(events.length, 1)
    assert.equal((await plans.events(sid)).total, 1)
  })

  test('no later failure says that nothing has happened', async () => {
    const { store, sid } = await begun(writesMax)
    const failing = meddled(store, /evt/, (nth) =>
      Promise.reject(nth === 1 ? lostAnswer() : down()),
    )
    await assert.rejects(new Plans(failing).setGoal(sid, { title: 'Goal' }, told), isUnknown)
  })
})

test('a batch of which a part was done and the rest refused does not say that nothing has happened', async () => {
  const { store, sid } = await begun(1)
  const plans = new Plans(store)
  await plans.addTasks(sid, [{ title: 'One' }, { title: 'Two' }], told)
  const [one, two] = (await plans.plan(sid)).tasks
  assert.ok(one && two)
  const meddling = meddled(store, /evt/, async (nth, commit) => {
    const result = await commit()
    if (nth === 1) await plans.updateTasks(sid, [{ id: two.id, status: 'failed' }], told)
    return result
  })
  const update = new Plans(meddling).updateTasks(
    sid,
    [
      { id: one.id, status: 'completed' },
      { id: two.id, status: 'completed', state: stateOf(two) },
    ],
    told,
  )
  await assert.rejects(update, isUnknown)
  assert.equal((await plans.task(sid, one.id)).status, 'completed')
})
