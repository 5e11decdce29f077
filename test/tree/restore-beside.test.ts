import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { limited, openStore, type Store } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { altered, between, scheduled } from '../store/altered.ts'

const day = 86_400_000
const start = Date.parse('2026-01-01T00:00:00Z')
const treeOn = (store: Store, days: number, retentionDays = 30) =>
  new TaskTree(store, { now: () => start + days * day, retentionDays })

type Shape = 'chain' | 'star'

/** A family that retention has hidden: each task below the one before, or all below the first. */
async function planted(store: Store, shape: Shape, count: number): Promise<string[]> {
  const tree = treeOn(store, 0)
  const ids: string[] = []
  for (let nth = 0; nth < count; nth++) {
    const parent_id = ids.at(shape === 'chain' ? -1 : 0) ?? null
    ids.push((await tree.create({ title: `task ${nth}`, parent_id })).id)
  }
  for (const id of ids.toReversed()) {
    await tree.claim(id, 'ann')
    await tree.complete(id, 'ann', { skip_review: true })
  }
  await treeOn(store, 31).maintain()
  return ids
}

async function hiddenOn(store: Store): Promise<number> {
  const { tasks } = await treeOn(store, 31).list({ include_deleted: true })
  return tasks.filter(({ deleted_at }) => deleted_at !== null).length
}

describe('a restoration next to maintenance', () => {
  for (const commitWritesMax of [1_000, 1])
    for (const shape of ['chain', 'star'] as const)
      for (const restorers of [1, 2])
        test(`is told what came back: ${shape}, ${restorers} at once, ${commitWritesMax} writes a commit`, () =>
          fc.assert(
            fc.asyncProperty(
              fc.scheduler(),
              fc.array(fc.nat(5), { minLength: restorers, maxLength: restorers }),
              async (scheduler, places) => {
                await using memory = await openStore('memory:')
                const store = limited(memory, commitWritesMax)
                const ids = await planted(store, shape, 6)
                const maintained = treeOn(scheduled(store, scheduler), 32).maintain()
                const outcomes = places.map((at, nth) =>
                  treeOn(scheduled(store, scheduler), 32).restore(ids[at] as string, `user-${nth}`),
                )
                await scheduler.waitFor(Promise.all([maintained, ...outcomes]))
                assert.equal(await hiddenOn(store), 0)
                // What both found hidden, one of them brought back.
                const told = (await Promise.all(outcomes)).map(({ restored }) => restored)
                assert.equal(
                  told.reduce((sum, count) => sum + count, 0),
                  ids.length,
                )
              },
            ),
            { numRuns: 15 },
          ))
})

test('of a family that a restoration has begun to bring back before it died, nothing is removed for good', async () => {
  const never = new Promise<never>(() => {})
  for (let pausedAt = 1; ; pausedAt++) {
    let isPaused = false
    for (let deadAt = 1; ; deadAt++) {
      await using store = await openStore('memory:')
      const ids = await planted(store, 'star', 4)
      let commits = 0
      const paused = between(store, pausedAt, async () => {
        isPaused = true
        const died = new Promise<void>((resolve) => {
          const dying = altered(store, {
            commit: (writes) => {
              if (++commits < deadAt) return store.commit(writes)
              resolve()
              return never
            },
          })
          void treeOn(dying, 40)
            .restore(ids[2] as string, 'bob')
            .then(
              () => resolve(),
              () => resolve(),
            )
        })
        await died
      })
      const { hardDeleted } = await treeOn(paused, 40, 0).maintain()
      const { tasks } = await treeOn(store, 40).list({ include_deleted: true })
      const isBegun = tasks.some(({ deleted_at }) => deleted_at === null)
      if (isBegun) assert.deepEqual(hardDeleted, [], `paused at ${pausedAt}, died at ${deadAt}`)
      if (!isPaused || commits < deadAt) break
    }
    if (!isPaused) break
  }
})
