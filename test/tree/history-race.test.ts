import assert from 'node:assert/strict'
import { test } from 'vitest'
import { limited, openStore } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { altered } from '../store/altered.ts'

for (const writes of [1, 1000])
  test(`a history that is read while its task is deleted is whole, or the task is not found, with ${writes} writes a commit`, async () => {
    const inner = limited(await openStore('memory:'), writes)
    const others = new TaskTree(inner)
    const { id } = await others.create({ title: 'a' })
    await others.update(id, { title: 'b' })
    await others.update(id, { title: 'c' })
    let isDeleted = false
    const store = altered(inner, {
      async *scan(prefix, options) {
        if (prefix.startsWith('coven/history') && !isDeleted) {
          isDeleted = true
          await others.delete(id)
        }
        yield* inner.scan(prefix, options)
      },
    })
    await assert.rejects(new TaskTree(store).history(id), { code: 'TASK_NOT_FOUND' })
    assert.ok(isDeleted)
  })
