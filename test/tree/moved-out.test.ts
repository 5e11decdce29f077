import assert from 'node:assert/strict'
import { test } from 'vitest'
import { limited, openStore } from '../../src/store/index.ts'
import { TaskTree, TreeError } from '../../src/tree/index.ts'
import { between } from '../store/altered.ts'

const verbs: Readonly<Record<string, (tree: TaskTree, id: string) => Promise<unknown>>> = {
  claim: (tree, id) => tree.claim(id, 'ann'),
  block: (tree, id) => tree.block(id, 'ann', { reason: 'later' }),
  update: (tree, id) => tree.update(id, { title: 'new' }, 'ann'),
}

for (const commitWritesMax of [1_000, 1])
  for (const [verb, run] of Object.entries(verbs))
    test(`${verb} finds a task that is moved out of a tree before that is deleted: ${commitWritesMax} writes a commit`, async () => {
      let isDone = false
      for (let nth = 1; !isDone; nth++) {
        await using memory = await openStore('memory:')
        const store = limited(memory, commitWritesMax)
        const tree = new TaskTree(store)
        const { id: parent } = await tree.create({ title: 'parent' })
        const { id } = await tree.create({ title: 'child', parent_id: parent })
        isDone = true
        const beside = between(store, nth, async () => {
          isDone = false
          await tree.reparent(id, null, 'bob').catch(refused)
          await tree.delete(parent, 'bob').catch(refused)
        })
        await run(new TaskTree(beside), id).catch((error: unknown) => {
          if (refused(error).code === 'TASK_NOT_FOUND') assert.fail(`before call ${nth}: ${error}`)
        })
      }
    })

function refused(error: unknown): TreeError {
  assert.ok(error instanceof TreeError, String(error))
  return error
}
