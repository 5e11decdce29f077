import assert from 'node:assert/strict'
import { test } from 'vitest'
import { limited, openStore, type Store, StoreError, type Write } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { altered } from '../store/altered.ts'
import { assertLayout } from './layout.ts'

const day = 86_400_000
const start = Date.parse('2026-01-01T00:00:00Z')
const treeOn = (store: Store, days: number) =>
  new TaskTree(store, { now: () => start + days * day })

/** A pass of the retention that dies right after it has hidden something, and a task that is added right before. */
function dying(store: Store, add: () => Promise<void>): Store {
  let isDead = false
  return altered(store, {
    async commit(writes) {
      if (isDead) throw new StoreError('down', 'The store is away.', 'Try again.')
      isDead = writes.some(hides)
      if (isDead) await add()
      return store.commit(writes)
    },
  })
}

const hides = (write: Write): boolean =>
  write.type === 'update' && /"deleted_at":"/.test(new TextDecoder().decode(write.value))

for (const commitWritesMax of [1_000, 1])
  test(`what was added below a task while a pass that died hid it brings that task back, ${commitWritesMax} writes per commit`, async () => {
    await using store = limited(await openStore('memory:'), commitWritesMax)
    const tree = treeOn(store, 0)
    const close = async (title: string, parent_id: string | null) => {
      const { id } = await tree.create({ title, parent_id })
      await tree.claim(id, 'ann')
      await tree.complete(id, 'ann', { skip_review: true })
      return id
    }
    const top = await close('top', null)
    const middle = await close('middle', top)
    const alone = await close('alone', null)
    let open = ''
    const add = async () => {
      open = (await treeOn(store, 31).create({ title: 'open', parent_id: middle })).id
    }
    await assert.rejects(treeOn(dying(store, add), 31).maintain())
    const report = await treeOn(store, 31).maintain()
    const shown = (await tree.list()).tasks.map(({ id }) => id)
    assert.deepEqual(shown, [top, middle, open])
    assert.ok(report.restored.length <= 1)
    assert.notEqual((await tree.get(alone)).deleted_at, null)
    await treeOn(store, 31).repair({ graceMs: 0 })
    await assertLayout(store)
  })
