import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TaskManager } from 'holdfast/jobs'
import { counted, openStore } from 'holdfast/store'
import { fillCompleted } from './jobs-fill.js'

const countDefault = 1_000_000
const few = 1_000
const rounds = 500

const steps = ['submit', 'claimNext', 'complete'] as const
type Times = Record<(typeof steps)[number], number[]>

interface Side {
  readonly name: string
  readonly manager: TaskManager
  readonly operations: () => string
  readonly times: Times
}

/** What a task costs on a SQLite file with few completed tasks, and on one with very many. */
export async function benchJobs([count = String(countDefault)]: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  try {
    const sides = [await sideOf(folder, few), await sideOf(folder, Number(count))]
    // In turns, so that whatever else the machine does meets both alike.
    for (let round = 0; round < rounds; round++)
      for (const side of round % 2 ? sides.toReversed() : sides) await run(side)
    report(sides)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function sideOf(folder: string, count: number): Promise<Side> {
  const start = performance.now()
  const store = counted(await openStore(`sqlite:${join(folder, `${count}.db`)}`))
  await fillCompleted(store, count)
  console.log(`${count} completed tasks in ${((performance.now() - start) / 1000).toFixed(1)} s`)
  store.reset()
  return {
    name: String(count),
    manager: new TaskManager(store),
    operations: () => JSON.stringify(store.counts),
    times: { submit: [], claimNext: [], complete: [] },
  }
}

async function run({ manager, times }: Side): Promise<void> {
  const timed = async <T>(step: keyof Times, call: () => Promise<T>): Promise<T> => {
    const start = performance.now()
    const result = await call()
    times[step].push(performance.now() - start)
    return result
  }
  const payload = new TextEncoder().encode('{"order":1}')
  const idempotencyKey = `bench-${times.submit.length}`
  await timed('submit', () => manager.submit({ idempotencyKey, payload }))
  const task = await timed('claimNext', () => manager.claimNext('worker'))
  if (task?.idempotencyKey !== idempotencyKey) throw new Error('another task was claimed')
  await timed('complete', () => manager.complete(task.id, payload))
}

function report(sides: readonly Side[]): void {
  const [small, large] = sides as [Side, Side]
  for (const step of steps) {
    const [before, after] = [median(small.times[step]), median(large.times[step])]
    const ratio = (after / before).toFixed(2)
    console.log(`${step.padEnd(10)} ${before.toFixed(3)} ms ${after.toFixed(3)} ms ${ratio} ×`)
  }
  for (const { name, operations } of sides) console.log(`${name}: ${operations()}`)
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number
