import assert from 'node:assert/strict'
import { type Store, StoreError, type Write } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'

/*
 * What a caller hears must be true: `unavailable` and every refusal say that nothing happened. An operation runs on a
 * store on which one call fails, and on one on which an answer is lost and a later call fails, for every pair of calls.
 */

/** What is to become of the calls of a store, by their number, from 1 on. */
interface Fate {
  readonly losesAnswerOf: number
  readonly failsAt: number
}

interface FateModel {
  prepare(): Promise<Store>
  operate(store: Store): Promise<unknown>
  /** All that callers can see, as one text. */
  visible(store: Store): Promise<string>
  /** Whether an error is a refusal of the model, which changes nothing. */
  isRefusal(error: unknown): boolean
  /** Happens before each commit. */
  beforeCommit?(writes: readonly Write[]): void
  /** What others do before the caller hears that an answer was lost. */
  meddle?(store: Store): Promise<unknown>
}

/** Calls are counted together; a commit that loses its answer is applied. */
function doomed(
  store: Store,
  { losesAnswerOf, failsAt }: Fate,
  { beforeCommit, meddle }: FateModel,
) {
  const seen = { calls: 0, hasLost: false, hasFailed: false }
  const arrive = () => {
    if (++seen.calls !== failsAt) return
    seen.hasFailed = true
    throw new StoreError('down', 'The store is away.', 'Try again.')
  }
  async function* each<T>(items: AsyncIterable<T>) {
    arrive()
    yield* items
  }
  const failing = altered(store, {
    get: async (key) => {
      arrive()
      return store.get(key)
    },
    list: (prefix, options) => each(store.list(prefix, options)),
    scan: (prefix, options) => each(store.scan(prefix, options)),
    commit: async (writes) => {
      arrive()
      beforeCommit?.(writes)
      const isLost = seen.calls === losesAnswerOf
      const result = await store.commit(writes)
      if (!isLost) return result
      seen.hasLost = true
      await meddle?.(store)
      throw new StoreError('lost_answer', 'The answer is lost.', 'Read, then decide.')
    },
  })
  return { failing, seen }
}

async function assertTrue(model: FateModel, fate: Fate) {
  await using store = await model.prepare()
  const before = await model.visible(store)
  const { failing, seen } = doomed(store, fate, model)
  const error = await model.operate(failing).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (error === null) return seen
  const name = `${JSON.stringify(fate)}: ${error}`
  if (model.isRefusal(error) || (error as StoreError).code === 'unavailable')
    assert.equal(await model.visible(store), before, name)
  else assert.equal((error as StoreError).code, 'unknown_outcome', name)
  return seen
}

/** Tries every fate; answers with how many that were. */
export async function assertTrueWhateverFails(model: FateModel): Promise<number> {
  let pairs = 0
  for (let losesAnswerOf = 0; ; losesAnswerOf++) {
    const { calls, hasLost } = await assertTrue(model, { losesAnswerOf, failsAt: 0 })
    if (losesAnswerOf > calls) return pairs
    if (losesAnswerOf > 0 && !hasLost) continue
    for (let failsAt = losesAnswerOf + 1; ; failsAt++) {
      const { hasFailed } = await assertTrue(model, { losesAnswerOf, failsAt })
      if (!hasFailed) break
      pairs++
    }
  }
}
