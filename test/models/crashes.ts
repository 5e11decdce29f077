import assert from 'node:assert/strict'
import {
  counted,
  create,
  type Faults,
  flaky,
  openStore,
  type Store,
} from '../../src/store/index.ts'

/** More commits than any operation makes; an operation that goes on for longer never ends. */
const commitsMax = 2_000

interface Crashing {
  /** An empty store, with what the operation starts from. */
  prepare(): Promise<Store>
  operate(store: Store): Promise<unknown>
  /** Looks at what a crash left; `isAcknowledged` where the operation had answered all the same. */
  check(store: Store, isAcknowledged: boolean): Promise<void>
}

/**
 * Runs an operation on a store that dies before its n-th commit, and on one that dies right after it, for every
 * n until the operation gets through. Answers with how many commits that took.
 */
export async function atEveryCrash(crashing: Crashing): Promise<number> {
  for (let nth = 1; nth <= commitsMax; nth++) {
    const isThroughBefore = await crashAt(crashing, { failBefore: nth, crash: true })
    const isThroughAfter = await crashAt(crashing, { failAfter: nth, crash: true })
    if (isThroughBefore && isThroughAfter) return nth - 1
  }
  assert.fail(`the operation makes more than ${commitsMax} commits`)
}

/** True where the operation never came to the commit at which it would have died. */
async function crashAt({ prepare, operate, check }: Crashing, faults: Faults): Promise<boolean> {
  await using store = await prepare()
  const dying = counted(flaky(store, faults))
  const isAcknowledged = await operate(dying).then(
    () => true,
    () => false,
  )
  await check(store, isAcknowledged)
  return dying.counts.commit < (faults.failBefore ?? faults.failAfter ?? 0)
}

/**
 * Makes stores in memory that each hold what `plant` puts into an empty one: a copy takes less than to do it all again for
 * every crash.
 */
export function copiesOf(plant: (empty: Store) => Promise<unknown>): () => Promise<Store> {
  const planted = async () => {
    await using store = await openStore('memory:')
    await plant(store)
    const entries: { key: string; value: Uint8Array }[] = []
    for await (const { key, value } of store.scan('')) entries.push({ key, value })
    return entries
  }
  let entries: ReturnType<typeof planted> | undefined
  return async () => {
    entries ??= planted()
    const copy = await openStore('memory:')
    const { ok } = await copy.commit((await entries).map(({ key, value }) => create(key, value)))
    assert.ok(ok)
    return copy
  }
}
