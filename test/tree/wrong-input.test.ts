import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { describe, test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { InvalidTaskError, Refusal, TaskTree } from '../../src/tree/index.ts'

/** Every method with right arguments that change nothing or are refused, of which one is replaced. */
const methods: Readonly<Record<string, (id: string) => unknown[]>> = {
  create: () => [{ title: '' }, 'ann'],
  createSubtask: (id) => [id, { title: '' }, 'ann'],
  update: (id) => [id, {}, 'ann'],
  edit: (id) => [id, {}, 'ann'],
  setStatus: (id) => [id, 'pending_merge', 'bob', {}],
  claim: (id) => [id, 'bob', {}],
  reclaim: (id) => [id, 'bob'],
  release: (id) => [id, 'bob', {}],
  complete: (id) => [id, 'bob', {}],
  block: (id) => [id, 'bob', {}],
  unblock: (id) => [id, 'bob'],
  approve: (id) => [id, 'bob'],
  reject: (id) => [id, 'bob', {}],
  reparent: (id) => [id, null, 'bob'],
  delete: (id) => [id, 'bob'],
  restore: (id) => [id, 'bob'],
  addTags: (id) => [id, [], 'bob'],
  setTags: (id) => [id, [], 'bob'],
  removeTags: (id) => [id, [], 'bob'],
  bulk: () => [{ action: 'close', task_ids: [] }, 'bob', {}],
  get: (id) => [id],
  getVersion: (id) => [id],
  read: (id) => [id],
  resolve: (id) => [id],
  list: () => [{}],
  ready: () => [{}, {}],
  open: () => [{}],
  subtree: (id) => [id, {}],
  subtreeList: (id) => [id, {}],
  ancestors: (id) => [id],
  children: (id) => [id, {}],
  history: (id) => [id, {}],
}

const junk: readonly unknown[] = [
  ...[null, 7, -1, 0.5, Number.NaN, true, '../..', [], () => 1, Symbol('x')],
  ...[10n, Object.create(null), [null], [7], [[]], [{}], { wat: 1 }, { limit: '5' }, { depth: {} }],
]

describe('wrong input', () => {
  for (const [name, argumentsOf] of Object.entries(methods))
    test(`${name}() refuses it with a typed error, and changes nothing`, async () => {
      await using store = await openStore('memory:')
      const tree = new TaskTree(store)
      const { id } = await tree.create({ title: 'Held', tags: ['x'] }, 'ann')
      await tree.claim(id, 'ann')
      const before = await tree.history(id)
      const call = async (args: readonly unknown[]) =>
        (tree as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(...args)
      const right = argumentsOf(id)
      for (const at of right.keys())
        for (const wrong of junk)
          await call(right.with(at, wrong)).catch((error: unknown) => {
            assert.ok(error instanceof Refusal, `${name} ${at} ${inspect(wrong)}: ${error}`)
          })
      assert.deepEqual(
        (await tree.history(id)).filter(({ field }) => field !== 'tags'),
        before.filter(({ field }) => field !== 'tags'),
      )
    })

  for (const name of ['list', 'ready', 'open'] as const)
    test(`${name}() takes no query that it would not heed`, async () => {
      await using store = await openStore('memory:')
      const tree = new TaskTree(store)
      for (const wrong of ['open', { staus: ['open'] }, null, []])
        await assert.rejects(tree[name](wrong as never), InvalidTaskError)
    })
})
