import assert from 'node:assert/strict'
import { beforeAll, describe, test } from 'vitest'
import { fillCompleted } from '../../bench/jobs-fill.ts'
import { TaskManager } from '../../src/jobs/index.ts'
import { type CountedStore, counted, openStore } from '../../src/store/index.ts'
import { temporaryFolder } from '../store/ground.ts'
import { bytes } from './kit.ts'
import { assertLayout } from './layout.ts'

const [few, many] = [1_000, 100_000]
const rounds = 200
const ratioMax = 1.5

interface Side {
  readonly store: CountedStore
  readonly manager: TaskManager
  readonly times: { submit: number[]; claimNext: number[]; complete: number[] }
}

async function sideOf(url: string, count: number): Promise<Side> {
  const store = counted(await openStore(url))
  await fillCompleted(store, count)
  store.reset()
  const times = { submit: [], claimNext: [], complete: [] }
  return { store, manager: new TaskManager(store), times }
}

async function timed<T>(times: number[], call: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await call()
  times.push(performance.now() - start)
  return result
}

async function run({ manager, times }: Side, round: number): Promise<void> {
  const idempotencyKey = `new-${round}`
  await timed(times.submit, () => manager.submit({ idempotencyKey, payload: bytes('x') }))
  const task = await timed(times.claimNext, () => manager.claimNext('worker'))
  assert.equal(task?.idempotencyKey, idempotencyKey)
  await timed(times.complete, () => manager.complete(task?.id as string, bytes('y')))
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number

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
    // In turns, so that whatever else the machine does meets both alike.
    for (let round = 0; round < rounds; round++)
      for (const side of round % 2 ? sides.toReversed() : sides) await run(side, round)
    return async () => {
      for (const { store } of sides) await store[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    }
  }, 120_000)

  test('submit, claimNext and complete ask the store for the same', () => {
    const [small, large] = sides.map(({ store }) => store.counts)
    assert.deepEqual(large, small)
    assert.equal(large?.entries, rounds)
  })

  for (const step of ['submit', 'claimNext', 'complete'] as const)
    test(`${step} takes at most ${ratioMax} times as long`, () => {
      const [small, large] = sides.map(({ times }) => median(times[step])) as [number, number]
      assert.ok(large / small <= ratioMax, `${large} ms beside ${small} ms`)
    })

  test('what was filled in by hand is as a manager leaves it', async () => {
    await assertLayout(sides[0].store)
  })
})
