import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { flaky, limited, openStore, type Store, StoreError, update } from '../../src/store/index.ts'
import { TaskTree, TreeError } from '../../src/tree/index.ts'
import { sized } from '../size.ts'
import { altered, scheduled } from '../store/altered.ts'
import { assertLayout, assertNoCycle, assertNothingMissed, storedTasks } from './layout.ts'
import { refused } from './refused.ts'

const titles = ['a', 'b', 'c', 'd'] as const
type Ids = Readonly<Record<string, string>>

/** a(b(c)), d. */
async function plant(isAtomic: boolean): Promise<{ store: Store; ids: Ids }> {
  const memory = await openStore('memory:')
  const store = isAtomic ? memory : limited(memory, 1)
  const tree = new TaskTree(store)
  const a = (await tree.create({ title: 'a' })).id
  const b = (await tree.create({ title: 'b', parent_id: a })).id
  const c = (await tree.create({ title: 'c', parent_id: b })).id
  const d = (await tree.create({ title: 'd' })).id
  return { store, ids: { a, b, c, d } }
}

const command = fc.record({
  kind: fc.constantFrom('move', 'move', 'move', 'claim', 'delete', 'create', 'update', 'repair'),
  title: fc.constantFrom(...titles),
  to: fc.constantFrom(...titles, null),
})
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

async function perform(store: Store, { kind, title, to }: Command, ids: Ids): Promise<unknown> {
  const tree = new TaskTree(store)
  const id = ids[title] as string
  if (kind === 'move') return tree.reparent(id, to && (ids[to] as string))
  if (kind === 'claim') return tree.claim(id, 'ann')
  if (kind === 'delete') return tree.delete(id)
  if (kind === 'create') return tree.create({ title: 'new', parent_id: id, tags: ['x'] })
  if (kind === 'update') return tree.update(id, { priority: 0 })
  return tree.repair({ graceMs: 60 })
}

const refusedOnly = (error: unknown) => assert.ok(error instanceof TreeError, String(error))
const kinds = [
  ['with transactions', true],
  ['without', false],
] as const

describe('writers of one tree, in every order', () => {
  for (const [name, isAtomic] of kinds) {
    test(`two moves that together would make a cycle: exactly one is refused, ${name}`, async () => {
      const move = fc.constantFrom(['b', 'd'], ['a', 'd'], ['c', 'd'])
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), move, async (scheduler, [inner, outer]) => {
          const { store, ids } = await plant(isAtomic)
          const run = (title: string, to: string) =>
            new TaskTree(scheduled(store, scheduler))
              .reparent(ids[title] as string, ids[to] as string)
              .then(
                () => 'moved',
                (error) => (error as TreeError).code,
              )
          const outcomes = await scheduler.waitFor(
            Promise.all([run(inner as string, outer as string), run('d', 'c')]),
          )
          assertNoCycle(await storedTasks(store))
          assert.deepEqual(outcomes.sort(), ['WOULD_CREATE_CYCLE', 'moved'])
          await assertLayout(store)
        }),
        { numRuns: sized(50, 150) },
      )
    })

    test(`a claim and a deletion of what is above it: one of them is refused, ${name}`, async () => {
      const root = fc.constantFrom('a', 'b', 'c')
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), root, async (scheduler, title) => {
          const { store, ids } = await plant(isAtomic)
          const on = () => new TaskTree(scheduled(store, scheduler))
          const outcomeOf = (act: Promise<unknown>) =>
            act.then(
              () => 'done',
              (error) => (error as TreeError).code,
            )
          const [claimed, deleted] = await scheduler.waitFor(
            Promise.all([
              outcomeOf(on().claim(ids['c'] as string, 'ann')),
              outcomeOf(on().delete(ids[title] as string)),
            ]),
          )
          if (claimed === 'done') {
            assert.match(deleted as string, /TASK_ACTIVE|HAS_ACTIVE_CHILDREN/)
            assert.equal((await new TaskTree(store).get(ids['c'] as string)).claimed_by, 'ann')
          } else assert.deepEqual([claimed, deleted], ['TASK_NOT_FOUND', 'done'])
          await assertLayout(store)
        }),
        { numRuns: sized(70, 200) },
      )
    })

    test(`a creation and a deletion of what is above it leave nothing behind, ${name}`, async () => {
      const root = fc.constantFrom('a', 'b', 'c')
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), root, async (scheduler, title) => {
          const { store, ids } = await plant(isAtomic)
          const on = () => new TaskTree(scheduled(store, scheduler))
          const parent_id = ids['c'] as string
          const created = on().create({ title: 'new', parent_id, tags: ['x'] })
          const outcomes = await scheduler.waitFor(
            Promise.allSettled([created, on().delete(ids[title] as string)]),
          )
          assert.equal(outcomes[1]?.status, 'fulfilled')
          if (outcomes[0]?.status === 'rejected') refusedOnly(outcomes[0].reason)
          assert.equal((await new TaskTree(store).list({ tag: ['x'] })).total, 0)
          await assertLayout(store)
        }),
        { numRuns: sized(70, 200) },
      )
    })

    /** A store on which the deletion of everything comes before the first commit that touches such a key. */
    const overtaken = (store: Store, ids: Ids, prefix: string): Store =>
      altered(store, {
        commit: async (writes) => {
          if (writes.some(({ type, key }) => type === 'create' && key.startsWith(prefix)))
            await new TaskTree(store).delete(ids['a'] as string).catch(refusedOnly)
          return store.commit(writes)
        },
      })

    test(`a creation that is overtaken by a deletion takes itself back, ${name}`, async () => {
      const { store, ids } = await plant(isAtomic)
      const tree = new TaskTree(overtaken(store, ids, 'coven/tasks/'))
      const late = tree.create({ title: 'late', parent_id: ids['c'] as string })
      await assert.rejects(late, refused('PARENT_NOT_FOUND'))
      await assertLayout(store)
    })

    test(`a change that is overtaken by a deletion leaves no history, ${name}`, async () => {
      const { store, ids } = await plant(isAtomic)
      const id = ids['c'] as string
      await new TaskTree(store).update(id, { priority: 1 })
      const late = new TaskTree(overtaken(store, ids, 'coven/history/')).update(id, { priority: 0 })
      await assert.rejects(late, refused('TASK_NOT_FOUND'))
      await assertLayout(store)
    })

    test(`any mix leaves a tree without cycles and exact indexes, ${name}`, async () => {
      const clients = fc.array(fc.array(command, { minLength: 1, maxLength: 3 }), {
        minLength: 2,
        maxLength: 4,
      })
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), clients, async (scheduler, work) => {
          const { store, ids } = await plant(isAtomic)
          const run = async (commands: readonly Command[]) => {
            for (const each of commands)
              await perform(scheduled(store, scheduler), each, ids).catch(refusedOnly)
          }
          await scheduler.waitFor(Promise.all(work.map(run)))
          await assertLayout(store)
        }),
        { numRuns: sized(50, 150) },
      )
    })
  }

  test('an intent that can not be made is done with only when the task is in a new state', async () => {
    const { store, ids } = await plant(false)
    const [a, c] = [ids['a'] as string, ids['c'] as string]
    const intent = { id: 'i', kind: 'move', task: a, change: 0, to: c, at: '2026-01-01', by: 'x' }
    const register = new TextEncoder().encode(JSON.stringify({ n: 5, intent }))
    const empty = await store.get('coven/meta/structure')
    assert.ok(empty)
    await store.commit([update(empty, register)])
    await new TaskTree(store).reparent(ids['d'] as string, a)
    const left = (await storedTasks(store)).get(a)
    // So whoever had looked at it before, and was slow, can not swap it any more.
    assert.deepEqual([left?.parent_id, left?.change.n], [null, 1])
    const history = await new TaskTree(store).history(a)
    assert.deepEqual(
      history.map(({ field }) => field),
      ['created_by'],
    )
    await assertLayout(store)
  })

  test('when some die on the way: no cycle, nothing missed, and repair brings the exact truth', async () => {
    const client = fc.record({
      commands: fc.array(command, { minLength: 1, maxLength: 3 }),
      diesAt: fc.nat(12),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(client, { minLength: 2, maxLength: 4 }),
        async (scheduler, clients) => {
          const { store, ids } = await plant(false)
          const run = async ({ commands, diesAt }: { commands: Command[]; diesAt: number }) => {
            const dying = flaky(store, diesAt === 0 ? {} : { failBefore: diesAt, crash: true })
            try {
              for (const each of commands)
                await perform(scheduled(dying, scheduler), each, ids).catch((error) => {
                  if (!(error instanceof TreeError)) throw error
                })
            } catch (error) {
              assert.ok(error instanceof StoreError, String(error))
            }
          }
          await scheduler.waitFor(Promise.all(clients.map(run)))
          assertNoCycle(await storedTasks(store))
          await assertNothingMissed(store)
          await new TaskTree(store).repair({ graceMs: 0 })
          await assertLayout(store)
        },
      ),
      { numRuns: sized(50, 150) },
    )
  })

  test('lost answers neither lose a change nor leave anything wrong', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(command, { maxLength: 12 }),
        fc.boolean(),
        async (seed, commands, isAtomic) => {
          const { store, ids } = await plant(isAtomic)
          const lossy = flaky(store, { loseAnswers: 0.2, seed })
          // Two lost answers in one operation are too many to be settled: it says so.
          for (const each of commands)
            await perform(lossy, each, ids).catch((error) => {
              if (!(error instanceof TreeError)) assert.equal(error.code, 'unknown_outcome')
            })
          assertNoCycle(await storedTasks(store))
          await assertNothingMissed(store)
          await new TaskTree(store).repair({ graceMs: 0 })
          await assertLayout(store)
        },
      ),
      { numRuns: sized(50, 150) },
    )
  })
})
