import assert from 'node:assert/strict'
import {
  type CountedStore,
  counted,
  limited,
  openStore,
  type Store,
  type StoreCounts,
} from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import type { Operation } from './pairs.ts'

/** What an operation may ask for more where there is more, and why that is not to be avoided. */
type Growing = Readonly<Partial<Record<string, readonly (keyof StoreCounts)[]>>>

interface CostModel {
  /** Puts what the operations are about into an empty store, and then so many documents that are none of their business. */
  plant(store: Store, unrelated: number): Promise<unknown>
  readonly operations: Readonly<Record<string, Operation>>
  /** Calls that may be more by the name of the operation. */
  readonly growing?: Growing
}

/** Every operation must ask a store for the same beside few unrelated documents and beside many. */
export async function assertSameCosts(
  model: CostModel,
  wrap: (store: Store) => Store,
  [few, many]: readonly [few: number, many: number],
): Promise<void> {
  const planted = async (count: number) => {
    const store = await openStore('memory:')
    await model.plant(store, count)
    return counted(wrap(store))
  }
  await using small = await planted(few)
  await using large = await planted(many)
  const flaws: string[] = []
  for (const [name, operate] of Object.entries(model.operations)) {
    const may = model.growing?.[name] ?? []
    const [wanted, found] = [await costsOf(operate, small), await costsOf(operate, large)]
    for (const call of Object.keys(wanted) as (keyof StoreCounts)[])
      if (found[call] !== wanted[call] && !may.includes(call))
        flaws.push(`${name}: ${found[call]} ${call}, and ${wanted[call]} beside few`)
  }
  assert.deepEqual(flaws, [])
}

async function costsOf(operate: Operation, store: CountedStore): Promise<StoreCounts> {
  store.reset()
  await operate(store)
  return store.reset()
}

/** As S3 is: a commit is one write, and a list costs all that lies below its prefix. */
export function costly(store: Store): Store {
  const single = limited(store, 1)
  return altered(single, { limits: { ...single.limits, listCost: 'prefix', watch: 'poll' } })
}
