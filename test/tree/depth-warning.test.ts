import assert from 'node:assert/strict'
import { test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'

const minuteMs = 60_000

test('a tree warns of deep tasks once a minute, however many are created or moved', async () => {
  await using store = await openStore('memory:')
  const clock = { ms: Date.parse('2026-01-01T00:00:00Z') }
  const warnings: string[] = []
  const onWarning = (warning: string) => warnings.push(warning)
  const tree = new TaskTree(store, { now: () => clock.ms, onWarning })
  const chain: string[] = []
  const grow = async () => {
    const { id, depth } = await tree.create({ title: 'x', parent_id: chain.at(-1) ?? null })
    chain.push(id)
    return { id, depth }
  }
  while (chain.length < 11) await grow()
  assert.deepEqual(warnings, [], 'ten levels are usual')

  const first = await grow()
  for (let n = 0; n < 50; n++) await grow()
  assert.deepEqual(warnings, [`Task ${first.id} is 11 levels deep.`])

  clock.ms += minuteMs
  await tree.create({ title: 'a root' })
  assert.equal(warnings.length, 1)
  const next = await grow()
  const tail = `So were ${50} others in the meantime.`
  assert.deepEqual(warnings.slice(1), [`Task ${next.id} is ${next.depth} levels deep. ${tail}`])

  clock.ms += minuteMs
  const root = await tree.create({ title: 'moved' })
  const moved = await tree.reparent(root.id, next.id)
  assert.deepEqual(warnings.slice(2), [`Task ${root.id} is ${moved.depth} levels deep.`])
})
