import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import {
  compareKeys,
  create,
  type ListOptions,
  openStore,
  remove,
  type Store,
  update,
  type Write,
} from '../../src/store/index.ts'
import { isBelow } from '../../src/store/key.ts'
import { temporaryFolder } from './ground.ts'

/** What a store should hold, kept the plainest way there is. */
class Model {
  readonly entries = new Map<string, { value: string; revision: string }>()

  holds(write: Write): boolean {
    const revision = this.entries.get(write.key)?.revision
    return write.type === 'create' ? revision === undefined : revision === write.revision
  }

  keys(prefix: string, { after, before, limit, reverse }: ListOptions): string[] {
    const keys = [...this.entries.keys()]
      .filter((key) => isBelow(key, prefix))
      .filter((key) => after === undefined || compareKeys(key, after) > 0)
      .filter((key) => before === undefined || compareKeys(key, before) < 0)
      .sort(compareKeys)
    return (reverse ? keys.reverse() : keys).slice(0, limit)
  }
}

const key = fc
  .tuple(fc.constantFrom('a', 'b'), fc.constantFrom('x', 'x/y', 'x-y', 'é', '😀', 'Ａ', 'x/y/z'))
  .map((segments) => segments.join('/'))
const bound = fc.option(key, { nil: undefined })

/** A write that may expect what is there, or something stale or absent. */
const writePlan = fc.record({
  key,
  type: fc.constantFrom('create', 'update', 'remove'),
  isStale: fc.boolean(),
  value: fc.string({ maxLength: 5 }),
})
const commitStep = fc.uniqueArray(writePlan, { maxLength: 4, selector: (plan) => plan.key })
const listStep = fc.record({
  prefix: fc.constantFrom('', 'a', 'b', 'a/x', 'a/x/y'),
  after: bound,
  before: bound,
  limit: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  reverse: fc.boolean(),
})
const steps = fc.array(fc.oneof(commitStep, listStep), { maxLength: 25 })
type Plan = typeof writePlan extends fc.Arbitrary<infer T> ? T : never

function writeOf(plan: Plan, model: Model): Write {
  const value = new TextEncoder().encode(plan.value)
  const known = model.entries.get(plan.key)?.revision ?? '1'
  const head = { key: plan.key, revision: plan.isStale ? `${known}0` : known }
  if (plan.type === 'create') return create(plan.key, value)
  return plan.type === 'update' ? update(head, value) : remove(head)
}

async function commitBoth(store: Store, model: Model, plans: readonly Plan[]): Promise<void> {
  const writes = plans.map((plan) => writeOf(plan, model))
  const result = await store.commit(writes)
  assert.equal(
    result.ok,
    writes.every((write) => model.holds(write)),
  )
  if (!result.ok) return
  for (const [index, write] of writes.entries()) {
    const revision = result.revisions[index]
    if (write.type === 'remove') model.entries.delete(write.key)
    else model.entries.set(write.key, { value: plans[index]!.value, revision: revision as string })
  }
}

async function compare(store: Store, model: Model, prefix: string, options: ListOptions) {
  const expected = model.keys(prefix, options)
  const [listed, scanned]: [string[], string[]] = [[], []]
  for await (const head of store.list(prefix, options)) listed.push(head.key)
  for await (const entry of store.scan(prefix, options)) {
    scanned.push(entry.key)
    const { value, revision } = model.entries.get(entry.key)!
    assert.equal(new TextDecoder().decode(entry.value), value)
    assert.equal(entry.revision, revision)
  }
  assert.deepEqual(listed, expected)
  assert.deepEqual(scanned, expected)
}

describe('any sequence of commits and lists gives what a plain map would', () => {
  const check = (open: () => Promise<Store>, numRuns: number) =>
    fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        await using store = await open()
        const model = new Model()
        for (const step of sequence)
          if (Array.isArray(step)) await commitBoth(store, model, step)
          else await compare(store, model, step.prefix, step)
        await compare(store, model, '', {})
      }),
      { numRuns },
    )

  test('memory', () => check(() => openStore('memory:'), 500))

  test('sqlite', async () => {
    await using folder = await temporaryFolder()
    let files = 0
    await check(() => openStore(`sqlite:${folder.path(`${++files}.db`)}`), 150)
  })
})
