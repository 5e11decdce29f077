import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Plans } from '../../src/plan/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertLayout } from './layout.ts'

const told = { cmd: 'np test', reason: 'why' }

onEveryStore('What a change did', { check: assertLayout }, (ground) => {
  const plans = () => new Plans(ground.store)
  const started = async () => (await plans().start('/nowhere/at-all')).session.sid

  test('names tasks in the order given, those that were there as well, each once', async () => {
    const sid = await started()
    const add = (...titles: string[]) =>
      plans().apply(sid, { kind: 'add-tasks', tasks: titles.map((title) => ({ title })) }, told)
    const ids = (await add('A', 'B', 'C')).tasks.map(({ id }) => id)
    const [a, b, c] = ids as [string, string, string]
    // What a task was called first is what it is known by.
    await plans().updateTasks(sid, [{ id: b, title: 'Other', status: 'cancelled' }], told)
    const again = await add('c', 'New', 'B', 'new')
    const [, added] = again.tasks
    assert.deepEqual(again.tasks, [
      { id: c, changed: false },
      { id: added?.id, changed: true },
      { id: b, changed: false },
    ])
    assert.deepEqual(
      again.events.map(({ event }) => event.type),
      ['task_added'],
    )
    const updates = [c, a, b].map((id) => ({ id: id.toUpperCase(), status: 'cancelled' }))
    const updated = await plans().apply(sid, { kind: 'update-tasks', tasks: updates }, told)
    assert.deepEqual(updated.tasks, [
      { id: c, changed: true },
      { id: a, changed: true },
      { id: b, changed: false },
    ])
  })

  test('of two who add the same tasks at once each is told what it added itself', async () => {
    const sid = await started()
    const tasks = ['A', 'B', 'C', 'D'].map((title) => ({ title }))
    const two = [plans(), new Plans(await ground.open())]
    const outcomes = await Promise.all(
      two.map((each, at) =>
        each.apply(sid, { kind: 'add-tasks', tasks: at ? tasks.toReversed() : tasks }, told),
      ),
    )
    const stored = (await plans().plan(sid)).tasks.map(({ id }) => id).sort()
    for (const { tasks: named } of outcomes)
      assert.deepEqual(named.map(({ id }) => id).sort(), stored)
    const changed = outcomes.flatMap(({ tasks: named }) =>
      named.filter((task) => task.changed).map(({ id }) => id),
    )
    assert.deepEqual(changed.sort(), stored)
  })

  test('a goal has events, and no tasks', async () => {
    const sid = await started()
    const words = { title: 'Ship' }
    const set = await plans().apply(sid, { kind: 'set-goal', words }, told)
    assert.deepEqual([set.events.length, set.tasks], [1, []])
    const same = await plans().apply(sid, { kind: 'update-goal', words }, told)
    assert.deepEqual([same.events, same.tasks], [[], []])
  })
})
