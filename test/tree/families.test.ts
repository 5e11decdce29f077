import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { limited, openStore, type Store } from '../../src/store/index.ts'
import { type Task, TaskTree, TreeError } from '../../src/tree/index.ts'
import { sized } from '../size.ts'
import { scheduled } from '../store/altered.ts'
import { assertLayout } from './layout.ts'

const day = 86_400_000
const start = Date.parse('2026-01-01T00:00:00Z')
const keptDays = 30
const hiddenDays = 7

interface Plain {
  parent: string | null
  isClosed: boolean
  changedMs: number
  hiddenMs: number | null
}
interface Model {
  ms: number
  readonly tasks: Map<string, Plain>
}
interface Real {
  readonly tree: TaskTree
  readonly clock: { ms: number }
}

const children = ({ tasks }: Model, id: string) =>
  [...tasks.keys()].filter((each) => tasks.get(each)?.parent === id)
const below = (model: Model, id: string): string[] =>
  children(model, id).flatMap((child) => [child, ...below(model, child)])
const plain = ({ tasks }: Model, id: string) => tasks.get(id) as Plain

/** What retention does, said as simply as can be. */
function maintain(model: Model): void {
  const isOld = ({ hiddenMs }: Plain) => hiddenMs !== null && hiddenMs < model.ms - hiddenDays * day
  const isDue = ({ isClosed, hiddenMs, changedMs }: Plain) =>
    isClosed && hiddenMs === null && changedMs < model.ms - keptDays * day
  const ids = [...model.tasks.keys()]
  const all = (id: string) => [id, ...below(model, id)].map((each) => plain(model, each))
  const removed = ids.filter((id) => all(id).every(isOld))
  for (const id of removed) model.tasks.delete(id)
  const hidden = [...model.tasks.keys()].filter(
    (id) =>
      isDue(plain(model, id)) && all(id).every((each) => each.hiddenMs !== null || isDue(each)),
  )
  for (const id of hidden)
    Object.assign(plain(model, id), { hiddenMs: model.ms, changedMs: model.ms })
}

/** Everything in the family that was hidden at the same time; answers with how many that were. */
function restore(model: Model, id: string): number {
  const { hiddenMs } = plain(model, id)
  if (hiddenMs === null) return 0
  let top = id
  for (let at = plain(model, id).parent; at !== null; at = plain(model, at).parent) {
    if (plain(model, at).hiddenMs !== hiddenMs) break
    top = at
  }
  const all = [top, ...below(model, top)].filter((each) => plain(model, each).hiddenMs === hiddenMs)
  for (const each of all) Object.assign(plain(model, each), { hiddenMs: null, changedMs: model.ms })
  return all.length
}

type Command = fc.AsyncCommand<Model, Real>

const command = (
  name: string,
  run: (model: Model, real: Real, pick: (nth: number) => string | undefined) => Promise<unknown>,
): Command => ({
  check: () => true,
  run: async (model, real) => {
    real.clock.ms = ++model.ms
    const ids = [...model.tasks.keys()]
    await run(model, real, (nth) => ids[nth % Math.max(1, ids.length)])
    const { tasks } = await real.tree.list({ limit: 1000, include_deleted: true })
    assert.deepEqual(
      tasks.map(({ id, deleted_at }) => `${id} ${deleted_at && Date.parse(deleted_at)}`),
      [...model.tasks].map(([id, { hiddenMs }]) => `${id} ${hiddenMs}`),
    )
  },
  toString: () => name,
})

const commands = [
  fc.tuple(fc.nat(), fc.boolean()).map(([nth, isRoot]) =>
    command(`create ${nth} ${isRoot}`, async (model, { tree }, pick) => {
      const parent = isRoot ? null : (pick(nth) ?? null)
      const chain = []
      for (let at = parent; at !== null; at = plain(model, at).parent) chain.push(plain(model, at))
      const isFine = chain.every(({ hiddenMs }) => hiddenMs === null)
      const made = await tree.create({ title: 'x', parent_id: parent }).catch((error) => error)
      assert.equal(made instanceof Error, !isFine)
      if (isFine)
        model.tasks.set((made as Task).id, {
          parent,
          isClosed: false,
          changedMs: model.ms,
          hiddenMs: null,
        })
    }),
  ),
  fc.nat().map((nth) =>
    command(`close ${nth}`, async (model, { tree }, pick) => {
      const id = pick(nth)
      if (id === undefined || plain(model, id).isClosed) return
      await tree.claim(id, 'ann')
      await tree.complete(id, 'ann', { skip_review: true })
      Object.assign(plain(model, id), { isClosed: true, changedMs: model.ms })
    }),
  ),
  fc.constantFrom(3, 8, 25, 31).map((days) =>
    command(`${days} days later`, async (model, { tree, clock }) => {
      model.ms += days * day
      clock.ms = model.ms
      await tree.maintain()
      maintain(model)
    }),
  ),
  fc.nat().map((nth) =>
    command(`restore ${nth}`, async (model, { tree }, pick) => {
      const id = pick(nth)
      if (id === undefined) return
      const wanted = restore(model, id)
      const { restored, deleted_at } = await tree.restore(id)
      assert.deepEqual([restored, deleted_at], [wanted, null])
    }),
  ),
]

const kinds: Readonly<Record<string, () => Promise<Store>>> = {
  memory: () => openStore('memory:'),
  'limited(memory, 1)': async () => limited(await openStore('memory:'), 1),
}

describe('retention hides and removes families, and restoring brings back what went together', () => {
  for (const [kind, open] of Object.entries(kinds))
    test(`as plain objects would, on ${kind}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), async (all) => {
          await using store = await open()
          const clock = { ms: start }
          const tree = new TaskTree(store, { now: () => clock.ms })
          const setUp = () => ({ model: { ms: start, tasks: new Map() }, real: { tree, clock } })
          await fc.asyncModelRun(setUp, all)
          await assertLayout(store)
        }),
        { numRuns: sized(60, 500) },
      )
    })

  for (const [kind, open] of Object.entries(kinds))
    test(`whoever restores, adds or changes meanwhile: no family is split, on ${kind}`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          fc.array(fc.constantFrom('restore', 'add', 'update', 'maintain'), {
            minLength: 1,
            maxLength: 3,
          }),
          async (scheduler, others) => {
            await using store = await open()
            const { top, child, leaf } = await planted(store)
            let ms = start + 31 * day
            const late = (on: Store) => new TaskTree(on, { now: () => ms++ })
            const acts: Readonly<Record<string, (tree: TaskTree) => Promise<unknown>>> = {
              restore: async (tree) => {
                for (let times = 0; times < 4; times++) await tree.restore(top)
              },
              add: (tree) => tree.create({ title: 'late', parent_id: child }),
              update: (tree) => tree.update(leaf, { title: 'changed' }),
              maintain: (tree) => tree.maintain(),
            }
            const runs = ['maintain', ...others].map((name) =>
              acts[name]?.(late(scheduled(store, scheduler))).catch((error) => {
                if (!(error instanceof TreeError)) throw error
              }),
            )
            await scheduler.waitFor(Promise.all(runs))
            const { tasks } = await late(store).list({ include_deleted: true })
            await assertNotSplit(late(store), tasks, others.includes('restore'))
            await assertLayout(store)
          },
        ),
        { numRuns: sized(100, 1_000) },
      )
    })
})

/**
 * Nothing stays hidden that was hidden with what has been brought back. And nothing is left below what is hidden, but
 * what somebody brought back after another pass had hidden what is above it.
 */
async function assertNotSplit(
  tree: TaskTree,
  tasks: readonly Task[],
  isRestored: boolean,
): Promise<void> {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const told = JSON.stringify(tasks.map(({ title, deleted_at }) => [title, deleted_at]))
  for (const { parent_id, deleted_at } of tasks) {
    const parent = byId.get(parent_id ?? '')
    if (!parent) continue
    assert.ok(isRestored || parent.deleted_at === null || deleted_at !== null, told)
    if (parent.deleted_at !== null || deleted_at === null) continue
    const [last] = await tree.history(parent.id, { field: 'deleted_at' })
    assert.notEqual(last?.old_value, deleted_at, told)
  }
}

/** A closed epic with a closed child and a closed leaf below that. */
async function planted(store: Store): Promise<{ top: string; child: string; leaf: string }> {
  const tree = new TaskTree(store, { now: () => start })
  const { id: top } = await tree.create({ title: 'top' })
  const { id: child } = await tree.create({ title: 'child', parent_id: top })
  const { id: leaf } = await tree.create({ title: 'leaf', parent_id: child })
  for (const id of [leaf, child, top]) {
    await tree.claim(id, 'ann')
    await tree.complete(id, 'ann', { skip_review: true })
  }
  return { top, child, leaf }
}
