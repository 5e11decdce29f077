import assert from 'node:assert/strict'
import { pooled } from '../../src/collection/index.ts'
import { type Store, StoreError } from '../../src/store/index.ts'
import { between } from '../store/altered.ts'

/*
 * Two operations at the same time must come to what one after the other comes to, in either order: what both callers hear,
 * and what is stored. One of them acts, from its begin to its end, before the n-th call that the other makes of the store,
 * for every n.
 */

export type Operation = (store: Store) => Promise<unknown>

interface PairModel {
  /** A store that holds what every pair begins with. */
  prepare(): Promise<Store>
  /** What an operation told its caller, without what is random. */
  wordsOf(told: unknown, store: Store): Promise<string>
  /** The first call worth trying, where an operation begins with calls that do not matter; 1 where it is left out. */
  readonly from?: number
  /** What is stored, without what is random; it also checks what must always hold. */
  observe(store: Store): Promise<string>
}

export type Named = readonly [name: string, operation: Operation]

interface Both {
  readonly first: Operation
  readonly second: Operation
}

/** Fails unless every pair is as good as one after the other; answers with how many places that was tried at. */
export async function assertAsIfInTurn(
  model: PairModel,
  firsts: readonly Named[],
  seconds: readonly Named[],
): Promise<number> {
  const pairs = firsts.flatMap((one) => seconds.map((other) => [one, other] as const))
  const flaws: string[] = []
  const places = await pooled(pairs, async ([[name, first], [other, second]]) => {
    const { count, flaw } = await tried(model, { first, second })
    if (flaw !== null) flaws.push(`${other} within ${name}, ${flaw}`)
    return count
  })
  assert.equal(flaws.length, 0, `${flaws.length} of ${pairs.length} pairs:\n${flaws.join('\n\n')}`)
  return places.reduce((sum, count) => sum + count, 0)
}

/** At every place up to the first that is wrong. */
async function tried(model: PairModel, { first, second }: Both) {
  const orders = [
    await outcome(model, { first, second }, null),
    await outcome(model, { first: second, second: first }, null).then(swapped),
  ]
  const wanted = orders.map((order) => order?.join('\n'))
  const from = model.from ?? 1
  for (let nth = from; ; nth++) {
    const found = await outcome(model, { first, second }, nth)
    if (found === null) return { count: nth - from, flaw: null }
    const text = found.join('\n')
    const flaw = `before call ${nth}:\n${text}\nwhere in turn it is\n${wanted.join('\nor\n')}`
    if (!wanted.includes(text)) return { count: nth - from + 1, flaw }
  }
}

type Outcome = readonly [first: string, second: string, stored: string] | null

const swapped = (found: Outcome): Outcome => found && [found[1], found[0], found[2]]

/** Null where the first one ends before its n-th call; without a place the second one follows the first. */
async function outcome(model: PairModel, both: Both, nth: number | null): Promise<Outcome> {
  await using store = await model.prepare()
  let other: unknown
  let hasActed = false
  const act = async () => {
    hasActed = true
    other = await settled(both.second(store))
  }
  // A store of its own, as another process has one.
  const own = between(store, nth ?? Number.POSITIVE_INFINITY, act)
  const one = await settled(both.first(own))
  if (nth === null) await act()
  if (!hasActed) return null
  return [
    await wordsOf(model, one, store),
    await wordsOf(model, other, store),
    await model.observe(store),
  ]
}

const settled = (call: Promise<unknown>): Promise<unknown> =>
  call.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))

async function wordsOf(model: PairModel, told: unknown, store: Store): Promise<string> {
  if (told instanceof StoreError) return `StoreError ${told.code} ${told.message}`
  return told instanceof Error ? told.name : model.wordsOf(told, store)
}
