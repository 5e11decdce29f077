import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { openStore, type Store } from '../../src/store/index.ts'
import { Doomed, type Step } from '../doomed.ts'
import { type Promised, type RecordedStore, recorded } from '../record.ts'
import { sized } from '../size.ts'
import { type Place, placesOf } from './places.ts'
import { acknowledgedIn, type Pause, stallsIn, type Verdict } from './verdict.ts'

const rounds = sized(1, 30, 10)
/** More rounds, as many as it takes until one has stopped a worker that held a task. */
const roundsMax = rounds + 10
const workers = 2
/** The shortest lease that the queue takes, and how long a worker holds a task. */
const [leaseMs, holdMs] = [1_000, 400]
const runMsMax = 500
const beyondMsMax = 1_500

interface Pausing {
  readonly model: string
  readonly promises: readonly Promised[]
  /** A program of test/processes; gets a URL, its name, a name for all, how long leases last and for how long it holds a task. */
  readonly program: string
  judge(store: Store, steps: readonly Step[], pauses: readonly Pause[]): Promise<Verdict>
  /** Whether a process was refused when it wanted to end what was not its own any more. */
  isRefusal(step: Step): boolean
}

/** Rounds in which a process is stopped for longer than its lease while it holds tasks, and goes on. */
export function pauseRounds(pausing: Pausing): void {
  describe(`${pausing.model}: ${rounds} times a worker is stopped for longer than its lease`, () => {
    for (const [store, at] of placesOf('SQLite'))
      test(`on ${store}: its tasks go to others, and it ends none of them`, () =>
        at((place) => run(pausing, store, place)))
  })
}

async function run(pausing: Pausing, storeName: RecordedStore, { url }: Place): Promise<void> {
  const { model, promises, judge, isRefusal } = pausing
  const record = recorded({ what: `${model}: SIGSTOP past the lease`, store: storeName, promises })
  const { steps, pauses } = await workAndPause(pausing, url)
  await using store = await openStore(url)
  const { lost, doubles, wrong } = await judge(store, steps, [...pauses, ...stallsIn(steps)])
  const operations = acknowledgedIn(steps).length
  record({ faults: pauses.length, operations, lost: lost.length, doubles: doubles.length })
  assert.deepEqual({ lost, doubles, wrong }, { lost: [], doubles: [], wrong: [] })
  assert.ok(steps.some(isRefusal), 'nobody was stopped while it held a task')
}

async function workAndPause({ program, isRefusal }: Pausing, url: string) {
  const names = Array.from({ length: workers }, (_, at) => `worker${at}`)
  const args = (name: string) => [url, name, 'pauses', String(leaseMs), String(holdMs)]
  const all = names.map((name) => new Doomed(program, name, args(name)))
  const pauses: Pause[] = []
  const now = () => performance.timeOrigin + performance.now()
  try {
    await Promise.all(all.map((worker) => worker.telling()))
    const isRefused = () => all.some(({ steps }) => steps.some(isRefusal))
    for (let round = 0; round < rounds || (!isRefused() && round < roundsMax); round++) {
      const { process } = all[round % workers] as Doomed
      await sleep(holdMs + Math.random() * runMsMax)
      const from = now()
      process.kill('SIGSTOP')
      await sleep(2 * leaseMs + Math.random() * beyondMsMax)
      process.kill('SIGCONT')
      pauses.push({ by: names[round % workers] as string, from, to: now() })
      // It comes to end what it held.
      await sleep(2 * holdMs)
    }
    for (const worker of all) await worker.kill()
  } finally {
    for (const worker of all) await worker[Symbol.asyncDispose]()
  }
  return { steps: all.flatMap((worker) => worker.steps), pauses }
}
