import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { counted, openStore, type Store } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { altered } from '../store/altered.ts'
import { mcpDesk } from './client.ts'

/** A store on which others act each time that a task is about to be written, as long as they answer true. */
const contested = (store: Store, others: (id: string) => Promise<void>): Store =>
  altered(store, {
    commit: async (writes) => {
      const task = writes.find(({ key }) => key.startsWith('coven/tasks/'))
      if (task) await others(task.key.split('/').at(-1) as string)
      return store.commit(writes)
    },
  })

/** What another agent may have done to a task that was free a moment ago. */
const meanwhile: Readonly<Record<string, (tree: TaskTree, id: string) => Promise<unknown>>> = {
  claims: (tree, id) => tree.claim(id, 'other'),
  completes: async (tree, id) => {
    await tree.claim(id, 'other')
    await tree.complete(id, 'other')
  },
  closes: async (tree, id) => {
    await tree.claim(id, 'other')
    await tree.complete(id, 'other', { skip_review: true })
  },
  blocks: async (tree, id) => {
    await tree.claim(id, 'other')
    await tree.block(id, 'other')
  },
  deletes: (tree, id) => tree.delete(id),
}

describe('claim without an id', () => {
  for (const [what, act] of Object.entries(meanwhile))
    test(`where another agent ${what} one task after the other, gets the one that is left`, async () => {
      await using inner = await openStore('memory:')
      const tree = new TaskTree(inner)
      // More than are looked up at a time.
      for (let n = 0; n < 25; n++) await tree.create({ title: `${n}` })
      const left = await tree.create({ title: 'left', priority: 4 })
      const seen = new Set<string>()
      const store = contested(inner, async (id) => {
        if (id === left.id || seen.has(id)) return
        seen.add(id)
        await act(tree, id)
      })
      await using desk = await mcpDesk({ store })
      const claimed = await desk.ask('tree_change', { action: 'claim' })
      assert.deepEqual([claimed.changed, claimed.id, claimed.claimed_by], [true, left.id, 'tester'])
      assert.equal(seen.size, 25)
    })

  test('where others take the last one, says that nothing is free', async () => {
    await using inner = await openStore('memory:')
    const tree = new TaskTree(inner)
    await tree.create({ title: 'last' })
    let isTaken = false
    const store = contested(inner, async (id) => {
      if (isTaken) return
      isTaken = true
      await tree.claim(id, 'other')
    })
    await using desk = await mcpDesk({ store })
    const { changed, ready } = await desk.ask('tree_change', { action: 'claim' })
    assert.deepEqual([changed, ready], [false, []])
  })

  test('many agents at once get a task each', async () => {
    await using store = await openStore('memory:')
    const tree = new TaskTree(store)
    for (let n = 0; n < 30; n++) await tree.create({ title: `${n}` })
    const agents = Array.from({ length: 30 }, (_, n) => `agent-${n}`)
    await using desk = await mcpDesk({ store })
    const claims = await Promise.all(
      agents.map((agent) => desk.ask('tree_change', { action: 'claim', agent })),
    )
    assert.equal(new Set(claims.map(({ id }) => id)).size, 30)
  })
})

describe('update', () => {
  const edit = { title: 'new', body: 'new', priority: 0, add_tags: ['x'], remove_tags: ['a'] }

  test('writes all of it at once, as one change of the history', async () => {
    const store = counted(await openStore('memory:'))
    const tree = new TaskTree(store)
    const { id } = await tree.create({ title: 'old', tags: ['a', 'b'] })
    await using desk = await mcpDesk({ store })
    const before = store.counts.commit
    const { changed, title, tags } = await desk.ask('tree_change', {
      action: 'update',
      id,
      ...edit,
    })
    assert.equal(store.counts.commit - before, 1)
    assert.deepEqual([changed, title, tags], [true, 'new', ['b', 'x']])
    const history = await tree.history(id)
    const at = history[0]?.changed_at
    assert.deepEqual(
      history
        .filter(({ changed_at }) => changed_at === at)
        .map(({ field }) => field)
        .sort(),
      ['body', 'priority', 'tags', 'title'],
    )
    const again = await desk.ask('tree_change', { action: 'update', id, ...edit })
    assert.equal(again.changed, false)
  })

  for (const bad of [
    { add_tags: ['fine', 'a,b'] },
    { remove_tags: [''] },
    { title: ' ' },
    { body: '\u0000' },
    { add_tags: Array.from({ length: 201 }, (_, n) => `t${n}`) },
  ])
    test(`leaves the task unchanged where ${Object.keys(bad)} is refused`, async () => {
      await using store = await openStore('memory:')
      const tree = new TaskTree(store)
      const before = await tree.create({ title: 'old', tags: ['a'] })
      await using desk = await mcpDesk({ store })
      const given = { action: 'update', id: before.id, ...edit, ...bad }
      const { data } = await desk.call('tree_change', given)
      assert.equal(data.error.code, 'invalid')
      assert.deepEqual(await tree.get(before.id), before)
    })

  test('says that it changed something only where it did, whatever others do meanwhile', async () => {
    await using inner = await openStore('memory:')
    const tree = new TaskTree(inner)
    const { id } = await tree.create({ title: 'old' })
    let isOver = false
    const store = contested(inner, async () => {
      if (isOver) return
      isOver = true
      await tree.update(id, { title: 'new' })
    })
    await using desk = await mcpDesk({ store })
    const { changed } = await desk.ask('tree_change', { action: 'update', id, title: 'new' })
    assert.equal(changed, false)
  })
})
