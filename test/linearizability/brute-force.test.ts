import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { sized } from '../size.ts'
import { isExplained } from './brute-force.ts'
import { check } from './check.ts'
import type { History, Operation, RecordedWrite } from './history.ts'
import { committed, conflict, got, unanswered, write } from './written.ts'

const histories = sized(1_000, 50_000)
const operationsMax = 7
const names = ['a', 'b']

interface Plan {
  readonly keys: readonly string[]
  readonly type: 'get' | 'commit' | 'unanswered' | 'never'
  /** Which earlier value it expects, counted from the last; absent where there is none. */
  readonly expects: number
  readonly isRemoval: boolean
  readonly at: number
  readonly before: number
  readonly after: number
  /** Whether what is noted is something else than what was. */
  readonly isTwisted: boolean
}

const plan: fc.Arbitrary<Plan> = fc.record({
  keys: fc.constantFrom(['a'], ['a'], ['b'], ['a', 'b']),
  type: fc.constantFrom('get', 'get', 'commit', 'commit', 'commit', 'unanswered', 'never'),
  expects: fc.integer({ min: 0, max: 3 }),
  isRemoval: fc.boolean(),
  at: fc.integer({ min: 0, max: 20 }),
  before: fc.integer({ min: 0, max: 8 }),
  after: fc.integer({ min: 0, max: 8 }),
  isTwisted: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
})

/** Does what was planned, one after another at the moments `at`, and notes what clients would have seen. */
function played(plans: readonly Plan[]): History {
  const entries = new Map<string, string | null>(names.map((name) => [name, null]))
  const past: Record<string, (string | null)[]> = { a: [null], b: [null] }
  const perform = (each: Plan, index: number): Operation => {
    const times = [each.at - each.before, each.at + each.after] as const
    const [key] = each.keys as [string]
    const old = (name: string): string | null => past[name]!.at(-1 - each.expects) ?? null
    if (each.type === 'get')
      return got(times, key, (each.isTwisted ? old(key) : entries.get(key)) ?? null)
    const writes: RecordedWrite[] = each.keys.map((name) => {
      const from = old(name)
      return write(name, from, from !== null && each.isRemoval ? null : `v${index}`)
    })
    const holds = each.keys.every((name) => entries.get(name) === old(name))
    if (holds && each.type !== 'never')
      for (const { key: name, value } of writes) {
        entries.set(name, value)
        past[name]!.push(value)
      }
    if (each.type !== 'commit') return unanswered(times[0], ...writes)
    return holds === each.isTwisted ? conflict(times, ...writes) : committed(times, ...writes)
  }
  return plans.toSorted((a, b) => a.at - b.at).map(perform)
}

for (const reads of ['current', 'past'] as const)
  test(`${histories} small histories, reads ${reads}: the search agrees with trying every order`, () => {
    const found = { good: 0, bad: 0 }
    fc.assert(
      fc.property(fc.array(plan, { minLength: 2, maxLength: operationsMax }), (plans) => {
        const history = played(plans)
        const isGood = isExplained(history, reads)
        found[isGood ? 'good' : 'bad']++
        assert.equal(check(history, { reads }).type === 'linearizable', isGood)
      }),
      { numRuns: histories },
    )
    assert.ok(Math.min(found.good, found.bad) > histories / 20, JSON.stringify(found))
  })
