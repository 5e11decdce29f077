import assert from 'node:assert/strict'
import { beforeAll, describe, test } from 'vitest'
import { fillCompleted } from '../../bench/jobs-fill.ts'
import { TaskManager } from '../../src/jobs/index.ts'
import { type CountedStore, counted, openStore } from '../../src/store/index.ts'
import { measured, median } from '../rounds.ts'
import { sized } from '../size.ts'
import { temporaryFolder } from '../store/ground.ts'
import { bytes } from './kit.ts'
import { assertLayout } from './layout.ts'

const [few, many] = [1_000, sized(20_000, 100_000)]
/** How often each step is taken in a round. */
const turns = 80
const ratioMax = 1.5
const steps = ['submit', 'claimNext', 'complete'] as const

interface Side {
  readonly store: CountedStore
  readonly manager: TaskManager
  times: Record<(typeof steps)[number], number[]>
}

const noTimes = (): Side['times'] => ({ submit: [], claimNext: [], complete: [] })

async function sideOf(url: string, count: number): Promise<Side> {
  const store = counted(await openStore(url))
  await fillCompleted(store, count)
  store.reset()
  return { store, manager: new TaskManager(store), times: noTimes() }
}

async function timed<T>(times: number[], call: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await call()
  times.push(performance.now() - start)
  return result
}

async function run({ manager, times }: Side, name: string): Promise<void> {
  const idempotencyKey = `new-${name}`
  await timed(times.submit, () => manager.submit({ idempotencyKey, payload: bytes('x') }))
  const task = await timed(times.claimNext, () => manager.claimNext('worker'))
  assert.equal(task?.idempotencyKey, idempotencyKey)
  await timed(times.complete, () => manager.complete(task?.id as string, bytes('y')))
}

// `npm run bench -- jobs` does the same with 1,000,000.
describe(`${many} completed tasks in a SQLite file, beside ${few}`, () => {
  let sides: readonly [Side, Side]
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  beforeAll(async () => {
    folder = await temporaryFolder()
    sides = [
      await sideOf(`sqlite:${folder.path('few.db')}`, few),
      await sideOf(`sqlite:${folder.path('many.db')}`, many),
    ]
    return async () => {
      for (const { store } of sides) await store[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    }
  }, 120_000)

  /** In turns, so that whatever else the machine does meets both alike. */
  async function round(name: number): Promise<void> {
    for (const side of sides) {
      side.times = noTimes()
      side.store.reset()
    }
    for (let turn = 0; turn < turns; turn++)
      for (const side of turn % 2 ? sides.toReversed() : sides) await run(side, `${name}-${turn}`)
  }

  test(`submit, claimNext and complete take at most ${ratioMax} times as long, each`, async () => {
    await measured(
      async (name) => {
        await round(name)
        return steps.map((step) => sides.map(({ times }) => median(times[step])))
      },
      (medians) => medians.every(([small, large]) => large! / small! <= ratioMax),
    )
  })

  test('submit, claimNext and complete ask the store for the same', () => {
    const [small, large] = sides.map(({ store }) => store.counts)
    assert.deepEqual(large, small)
    assert.equal(large?.entries, turns)
  })

  test('what was filled in by hand is as a manager leaves it', async () => {
    await assertLayout(sides[0].store)
  })
})
