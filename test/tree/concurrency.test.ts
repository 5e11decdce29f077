import assert from 'node:assert/strict'
import { test } from 'vitest'
import { TaskTree, TreeError } from '../../src/tree/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertLayout } from './layout.ts'

const openers = 8
const codeOf = (error: unknown): string => {
  assert.ok(error instanceof TreeError, String(error))
  return error.code
}

onEveryStore('several openers of one tree', { check: assertLayout }, (ground) => {
  const trees = () =>
    Promise.all(Array.from({ length: openers }, async () => new TaskTree(await ground.open())))

  test('claim the same tasks: each is claimed by exactly one, all others are told by whom', async () => {
    const all = await trees()
    const [first] = all as [TaskTree]
    const root = await first.create({ title: 'root' })
    const ids: string[] = []
    for (let n = 0; n < 4; n++)
      ids.push((await first.create({ title: `t${n}`, parent_id: root.id })).id)
    const outcomes = await Promise.all(
      all.map((tree, at) =>
        Promise.all(
          ids.map((id) => tree.claim(id, `agent-${at}`, { tags: [`agent-${at}`] }).catch(codeOf)),
        ),
      ),
    )
    for (const [nth, id] of ids.entries()) {
      const won = outcomes.flatMap((each) => (typeof each[nth] === 'object' ? [each[nth]] : []))
      assert.equal(won.length, 1)
      const lost = outcomes.flatMap((each) => (typeof each[nth] === 'string' ? [each[nth]] : []))
      assert.deepEqual(new Set(lost), new Set(['ALREADY_CLAIMED']))
      const task = await first.get(id)
      assert.deepEqual(task, won[0])
      assert.deepEqual(task.tags, [task.claimed_by])
      const history = await first.history(id)
      assert.deepEqual(history.map(({ field }) => field).sort(), [
        'claimed_by',
        'created_by',
        'status',
        'tags',
      ])
    }
  })

  test('add tags to one task: none is lost, and each has its entry in the history', async () => {
    const all = await trees()
    const { id } = await (all[0] as TaskTree).create({ title: 'busy' })
    await Promise.all(all.map((tree, at) => tree.addTags(id, [`t${at}`], `agent-${at}`)))
    const { tags } = await (all[0] as TaskTree).get(id)
    assert.equal(tags.length, openers)
    const history = await (all[1] as TaskTree).history(id, { field: 'tags' })
    assert.equal(history.length, openers)
    // Newest first, and each from where the one before it ended.
    for (const [at, { old_value }] of history.slice(0, -1).entries())
      assert.equal(old_value, history[at + 1]?.new_value)
  })

  test('move tasks below each other: a tree is left, and at least one move was made', async () => {
    const all = await trees()
    const [first] = all as [TaskTree]
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.push((await first.create({ title: `t${n}` })).id)
    const at = (n: number) => ids[n % ids.length] as string
    const outcomes = await Promise.all(
      all.slice(0, 4).map((tree, n) => tree.reparent(at(n), at(n + 1)).catch(codeOf)),
    )
    const refused = outcomes.filter((outcome) => typeof outcome === 'string')
    assert.deepEqual(refused, ['WOULD_CREATE_CYCLE'])
    const depths = await Promise.all(ids.map(async (id) => (await first.get(id)).depth))
    assert.deepEqual(depths.sort(), [0, 1, 2, 3])
  })
})
