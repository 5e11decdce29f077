import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { flaky, limited, openStore, type Store, StoreError } from '../../src/store/index.ts'
import { isChanged, type Task, TaskTree, TreeError } from '../../src/tree/index.ts'
import { sized } from '../size.ts'
import { altered } from '../store/altered.ts'

const rounds = sized(15, 1_000)
const agents = ['ann', 'bob', 'cy', 'dan']

/** What somebody hears whose store loses answers: also that nobody knows. */
async function heardOf(asked: Promise<Task>): Promise<string> {
  try {
    return isChanged(await asked) ? 'done' : 'already'
  } catch (error) {
    if (error instanceof StoreError) {
      assert.equal(error.code, 'unknown_outcome', error.message)
      return 'unknown'
    }
    assert.ok(error instanceof TreeError, String(error))
    return `${error.code} ${error.details['claimed_by'] ?? ''}`.trimEnd()
  }
}

const kinds: Readonly<Record<string, (store: Store) => Store>> = {
  'a store with transactions': (store) => store,
  'one write per commit': (store) => limited(store, 1),
}

/** A store whose first write of a task goes through, unheard, and whose task somebody else changes right after it. */
function unheard(store: Store, id: string): Store {
  let isHeard = false
  return altered(store, {
    commit: async (writes) => {
      const result = await store.commit(writes)
      if (isHeard || !writes.some(({ key }) => key === `coven/tasks/${id}`)) return result
      isHeard = true
      await new TaskTree(store).addTags(id, ['noise'], 'noise')
      throw new StoreError('lost_answer', 'The answer is lost.', 'Look.')
    },
  })
}

for (const [kind, wrapped] of Object.entries(kinds))
  describe(`an answer gets lost on ${kind}, and somebody else changes the task: who made the change does not hear that another did`, () => {
    const changes: Readonly<Record<string, (tree: TaskTree, id: string) => Promise<Task>>> = {
      'a close': (tree, id) => tree.setStatus(id, 'closed', 'me'),
      'a tag': (tree, id) => tree.addTags(id, ['mine'], 'me'),
      'a title': (tree, id) => tree.update(id, { title: 'new' }, 'me'),
    }
    for (const [what, change] of Object.entries(changes))
      test(`of ${what}`, async () => {
        await using store = wrapped(await openStore('memory:'))
        const tree = new TaskTree(store)
        const { id } = await tree.create({ title: 'x' })
        await tree.claim(id, 'ann')
        await tree.complete(id, 'ann')
        assert.equal(await heardOf(change(new TaskTree(unheard(store, id)), id)), 'done')
        assert.equal(await heardOf(change(tree, id)), 'already')
      })
  })

for (const [kind, wrapped] of Object.entries(kinds))
  describe(`an answer gets lost on ${kind}, and somebody else makes another change: that one stays`, () => {
    const changes: Readonly<
      Record<string, (tree: TaskTree, id: string, by: string) => Promise<Task>>
    > = {
      'a title': (tree, id, by) => tree.update(id, { title: by }, by),
      'all tags': (tree, id, by) => tree.setTags(id, [by], by),
      'a claim that is taken away': (tree, id, by) =>
        by === 'me' ? tree.claim(id, by) : tree.release(id, by, { force: true }),
    }
    for (const [what, change] of Object.entries(changes))
      test(`of ${what}`, async () => {
        await using store = wrapped(await openStore('memory:'))
        const tree = new TaskTree(store)
        const { id } = await tree.create({ title: 'x' })
        let isHeard = false
        const losing = altered(store, {
          commit: async (writes) => {
            const result = await store.commit(writes)
            if (isHeard || !writes.some(({ key }) => key === `coven/tasks/${id}`)) return result
            isHeard = true
            await change(tree, id, 'another')
            throw new StoreError('lost_answer', 'The answer is lost.', 'Look.')
          },
        })
        assert.equal(await heardOf(change(new TaskTree(losing), id, 'me')), 'done')
        const history = await tree.history(id)
        const makers = history.map(({ changed_by }) => changed_by)
        assert.equal(makers.lastIndexOf('another') < makers.indexOf('me'), true)
      })
  })

for (const [kind, wrapped] of Object.entries(kinds))
  describe(`answers get lost on ${kind}: nobody hears what is not so`, () => {
    /** Each with an opener of their own that loses answers, and someone who retags the task meanwhile. */
    async function race(
      round: number,
      ask: (tree: TaskTree, id: string, by: string) => Promise<Task>,
      id: string,
      store: Store,
    ): Promise<Map<string, string>> {
      const faults = { loseAnswers: 0.3, delayMsMax: 2 }
      const trees = agents.map(
        (_, at) => new TaskTree(flaky(wrapped(store), { ...faults, seed: `${round} ${at}` })),
      )
      const noise = new TaskTree(flaky(wrapped(store), { delayMsMax: 1, seed: round }))
      const noisy = Array.from({ length: 12 }, (_, n) => noise.addTags(id, [`n${n}`], 'noise'))
      const heard = agents.map(async (by, at) => {
        return [by, await heardOf(ask(trees[at] as TaskTree, id, by))] as const
      })
      await Promise.all(noisy)
      return new Map(await Promise.all(heard))
    }

    test('of a claim', async () => {
      await using store = await openStore('memory:')
      const tree = new TaskTree(store)
      for (let round = 0; round < rounds; round++) {
        const { id } = await tree.create({ title: 'x' })
        const asks = [
          (each: TaskTree, id: string, by: string) => each.claim(id, by),
          (each: TaskTree, id: string, by: string) => each.setStatus(id, 'in_progress', by),
        ]
        const heard = await race(round, asks[round % 2] as (typeof asks)[0], id, store)
        const { claimed_by } = await tree.get(id)
        for (const [by, what] of heard)
          if (by === claimed_by) assert.ok(['done', 'unknown'].includes(what), what)
          else assert.ok([`ALREADY_CLAIMED ${claimed_by}`, 'unknown'].includes(what), what)
      }
    })

    test('of a close', async () => {
      await using store = await openStore('memory:')
      const tree = new TaskTree(store)
      for (let round = 0; round < rounds; round++) {
        const { id } = await tree.create({ title: 'x' })
        await tree.claim(id, 'eve')
        await tree.complete(id, 'eve')
        const ask = (each: TaskTree, id: string, by: string) => each.setStatus(id, 'closed', by)
        const heard = await race(round, ask, id, store)
        const [closing] = await tree.history(id, { field: 'status' })
        for (const [by, what] of heard)
          if (by === closing?.changed_by) assert.ok(['done', 'unknown'].includes(what), what)
          else assert.ok(['already', 'unknown'].includes(what), what)
      }
    })
  })
