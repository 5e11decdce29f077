import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { type Task, TaskList, TaskNotFoundError } from '../../src/list/index.ts'
import { flaky, limited, openStore, type Store } from '../../src/store/index.ts'
import { sized } from '../size.ts'
import { assertTagLists } from './layout.ts'

const tag = fc.constantFrom('a', 'b', 'c', 'd')
const tags = fc.uniqueArray(tag, { maxLength: 3 })

interface Model {
  readonly tasks: Map<string, Task>
}
interface Real {
  readonly list: TaskList
}
type Command = fc.AsyncCommand<Model, Real>

const command = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
})

/** One of the tasks there are, by a number. */
const pick = ({ tasks }: Model, nth: number): string | undefined =>
  [...tasks.keys()][nth % Math.max(1, tasks.size)]

const commands = [
  fc.tuple(fc.string({ minLength: 1, unit: 'grapheme-ascii' }), tags).map(([text, given]) =>
    command(`add ${given}`, async (model, { list }) => {
      const task = await list.add(`x${text}`, given)
      model.tasks.set(task.id, task)
    }),
  ),
  fc.tuple(fc.nat(), tags, fc.boolean()).map(([nth, given, done]) =>
    command(`update ${nth} ${given} ${done}`, async (model, { list }) => {
      const id = pick(model, nth)
      if (id === undefined) return
      const task = await list.update(id, { tags: given, done })
      model.tasks.set(id, { ...(model.tasks.get(id) as Task), tags: given, done })
      assert.deepEqual(task, model.tasks.get(id))
    }),
  ),
  fc.nat().map((nth) =>
    command(`delete ${nth}`, async (model, { list }) => {
      const id = pick(model, nth)
      if (id === undefined) return
      assert.equal(await list.delete(id), id)
      model.tasks.delete(id)
      await assert.rejects(list.delete(id), TaskNotFoundError)
    }),
  ),
  fc.tuple(tags, tags, fc.option(fc.boolean(), { nil: undefined })).map(([any, all, done]) =>
    command(`query ${any} ${all} ${done}`, async (model, { list }) => {
      const expected = [...model.tasks.values()].filter(
        (task) =>
          (any.length === 0 || any.some((each) => task.tags.includes(each))) &&
          all.every((each) => task.tags.includes(each)) &&
          (done === undefined || task.done === done),
      )
      assert.deepEqual(await list.query({ any, all, done }), expected)
    }),
  ),
  fc.constant(
    command('tags', async (model, { list }) => {
      const counts = new Map<string, number>()
      for (const task of model.tasks.values())
        for (const each of task.tags) counts.set(each, (counts.get(each) ?? 0) + 1)
      const expected = [...counts].sort().map(([name, count]) => ({ tag: name, count }))
      assert.deepEqual(await list.tags(), expected)
    }),
  ),
  fc.constant(
    command('rebuild', async (model, { list }) => {
      const { tasks, added, removed } = await list.rebuildIndex({ graceMs: 0 })
      assert.deepEqual([tasks, added, removed], [model.tasks.size, 0, 0])
    }),
  ),
]

const kinds: Readonly<Record<string, () => Promise<Store>>> = {
  memory: () => openStore('memory:'),
  'limited(memory, 1)': async () => limited(await openStore('memory:'), 1),
}

describe('a list behaves like a plain map of tasks', () => {
  for (const [kind, open] of Object.entries(kinds))
    test(`on ${kind}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), async (all) => {
          await using store = await open()
          await fc.asyncModelRun(
            () => ({ model: { tasks: new Map() }, real: { list: new TaskList(store) } }),
            all,
          )
          await assertTagLists(store)
        }),
        { numRuns: sized(30, 60) },
      )
    })
})

const work = fc.array(
  fc.record({ kind: fc.constantFrom('add', 'retag', 'delete'), nth: fc.nat(), tags }),
  { minLength: 3, maxLength: 12 },
)

describe('many clients of one list at once', () => {
  for (const [kind, open] of Object.entries(kinds))
    test(`lose nothing, and leave the lists exact, on ${kind}`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(work, { minLength: 4, maxLength: 8 }),
          fc.nat(),
          async (clients, seed) => {
            await using store = await open()
            const [added, deleted] = [new Set<string>(), new Set<string>()]
            await Promise.all(
              clients.map(async (steps, at) => {
                const list = new TaskList(flaky(store, { delayMsMax: 0.5, seed: seed + at }))
                for (const { kind: what, nth, tags: given } of steps) {
                  const id = [...added][nth % Math.max(1, added.size)]
                  if (what === 'add' || id === undefined)
                    added.add((await list.add(`t${at}`, given)).id)
                  else if (what === 'retag')
                    await list.update(id, { tags: given }).catch(expectGone)
                  else if (await list.delete(id).then(() => true, expectGone)) deleted.add(id)
                }
              }),
            )
            const left = (await new TaskList(store).query()).map(({ id }) => id)
            assert.deepEqual(left.sort(), [...added].filter((id) => !deleted.has(id)).sort())
            await assertTagLists(store)
          },
        ),
        { numRuns: sized(8, 15) },
      )
    })
})

function expectGone(error: unknown): false {
  assert.ok(error instanceof TaskNotFoundError, String(error))
  return false
}
