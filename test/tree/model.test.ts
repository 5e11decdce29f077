import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { limited, openStore, type Store } from '../../src/store/index.ts'
import { type Status, TaskTree, TreeError } from '../../src/tree/index.ts'
import { transitions } from '../../src/tree/status.ts'
import { sized } from '../size.ts'
import { assertLayout } from './layout.ts'

/** A task as a plain object, and all that there is to know about a tree. */
interface Plain {
  parent: string | null
  status: Status
  priority: number
  tags: string[]
}
type Model = Map<string, Plain>
type Command = fc.AsyncCommand<Model, TaskTree>

const command = (
  name: string,
  run: (model: Model, tree: TaskTree) => Promise<unknown>,
): Command => ({
  check: () => true,
  run: async (model, tree) => {
    await run(model, tree)
    await assertSame(model, tree)
  },
  toString: () => name,
})

const pick = (model: Model, nth: number): string | undefined =>
  [...model.keys()][nth % Math.max(1, model.size)]

function ancestorsOf(model: Model, id: string): string[] {
  const found: string[] = []
  for (let at = model.get(id)?.parent ?? null; at !== null; at = model.get(at)?.parent ?? null)
    found.push(at)
  return found
}

const isActive = ({ status }: Plain): boolean => ['in_progress', 'pending_merge'].includes(status)
const below = (model: Model, id: string): string[] =>
  [...model.keys()].filter((each) => ancestorsOf(model, each).includes(id))
const hasActiveBelow = (model: Model, id: string): boolean =>
  below(model, id).some((each) => isActive(model.get(each) as Plain))

/** Open, all children closed, and nothing above it that is blocked or closed. */
const canStart = (model: Model, id: string): boolean =>
  model.get(id)?.status === 'open' &&
  [...model.values()].every(({ parent, status }) => parent !== id || status === 'closed') &&
  ancestorsOf(model, id).every(
    (each) => !['blocked', 'closed'].includes((model.get(each) as Plain).status),
  )

/** The tree says what the model says: every task, its place, and what is ready. */
async function assertSame(model: Model, tree: TaskTree): Promise<void> {
  const { tasks } = await tree.list({ limit: 1000 })
  assert.deepEqual(
    tasks.map(({ id, parent_id, status, priority, tags, depth }) =>
      JSON.stringify([id, parent_id, status, priority, tags, depth]),
    ),
    [...model].map(([id, { parent, status, priority, tags }]) =>
      JSON.stringify([id, parent, status, priority, tags, ancestorsOf(model, id).length]),
    ),
  )
  const ready = [...model]
    .filter(([id]) => canStart(model, id))
    .sort(([a, one], [b, two]) => one.priority - two.priority || (a < b ? -1 : 1))
  assert.deepEqual(
    (await tree.ready({ limit: 1000 })).tasks.map(({ id }) => id),
    ready.map(([id]) => id),
  )
}

async function codeOf(act: Promise<unknown>): Promise<string | null> {
  try {
    await act
    return null
  } catch (error) {
    if (error instanceof TreeError) return error.code
    throw error
  }
}

const statuses = ['open', 'in_progress', 'pending_merge', 'blocked', 'closed'] as const
const commands = [
  fc.tuple(fc.nat(), fc.nat(4), fc.boolean()).map(([nth, priority, isRoot]) =>
    command(`create ${nth}`, async (model, tree) => {
      const parent = isRoot ? null : (pick(model, nth) ?? null)
      const tags = [`t${nth % 3}`]
      const { id } = await tree.create({ title: 'x', parent_id: parent, priority, tags })
      model.set(id, { parent, status: 'open', priority, tags })
    }),
  ),
  fc.tuple(fc.nat(), fc.constantFrom(...statuses)).map(([nth, to]) =>
    command(`status ${nth} ${to}`, async (model, tree) => {
      const id = pick(model, nth)
      if (id === undefined) return
      const task = model.get(id) as Plain
      const isFine = task.status === to || transitions[task.status].includes(to)
      const code = await codeOf(tree.setStatus(id, to, 'ann'))
      assert.equal(code === null, isFine, `${task.status} → ${to}: ${code}`)
      if (isFine) task.status = to
    }),
  ),
  fc.tuple(fc.nat(), fc.option(fc.nat())).map(([nth, to]) =>
    command(`move ${nth} ${to}`, async (model, tree) => {
      const id = pick(model, nth)
      if (id === undefined) return
      const parent = to === null ? null : (pick(model, to) as string)
      const isCycle = parent === id || (parent !== null && below(model, id).includes(parent))
      const code = await codeOf(tree.reparent(id, parent))
      assert.equal(code, isCycle ? 'WOULD_CREATE_CYCLE' : null)
      if (!isCycle) (model.get(id) as Plain).parent = parent
    }),
  ),
  fc.nat().map((nth) =>
    command(`delete ${nth}`, async (model, tree) => {
      const id = pick(model, nth)
      if (id === undefined) return
      const isBusy = hasActiveBelow(model, id)
      const wanted = isActive(model.get(id) as Plain)
        ? 'TASK_ACTIVE'
        : isBusy
          ? 'HAS_ACTIVE_CHILDREN'
          : null
      assert.equal(await codeOf(tree.delete(id)), wanted)
      if (wanted === null) for (const each of [...below(model, id), id]) model.delete(each)
    }),
  ),
  fc.tuple(fc.nat(), fc.subarray(['a', 'b', 'c']), fc.nat(4)).map(([nth, tags, priority]) =>
    command(`retag ${nth} ${tags}`, async (model, tree) => {
      const id = pick(model, nth)
      if (id === undefined) return
      await tree.setTags(id, tags)
      await tree.update(id, { priority })
      Object.assign(model.get(id) as Plain, { tags, priority })
      const tagged = [...model].filter(([, task]) => task.tags.includes('a'))
      assert.equal((await tree.list({ tag: ['a'] })).total, tagged.length)
    }),
  ),
]

const kinds: Readonly<Record<string, () => Promise<Store>>> = {
  memory: () => openStore('memory:'),
  'limited(memory, 1)': async () => limited(await openStore('memory:'), 1),
}

describe('a tree behaves like plain objects', () => {
  for (const [kind, open] of Object.entries(kinds))
    test(`on ${kind}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), async (all) => {
          await using store = await open()
          await fc.asyncModelRun(() => ({ model: new Map(), real: new TaskTree(store) }), all)
          await assertLayout(store)
        }),
        { numRuns: sized(50, 150) },
      )
    })
})
