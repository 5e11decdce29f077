import assert from 'node:assert/strict'
import { mkdirSync, realpathSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { openStore, type Store } from '../../src/store/index.ts'
import { Doomed, type Step } from '../doomed.ts'
import { type Promised, type RecordedStore, recorded } from '../record.ts'
import { sized } from '../size.ts'
import { temporaryFolder } from '../store/ground.ts'
import { type Place, placesOf } from './places.ts'
import { acknowledgedIn, type Verdict } from './verdict.ts'

const rounds = sized(1, 60, 30)
const writers = 2
const lifeMsMax = 250
/** In one round of so many the server is killed as well. */
const serverEvery = 4

interface Killing {
  readonly model: string
  readonly promises: readonly Promised[]
  /** The name of a program of test/processes, started with a URL, its own name and that of the round, which is a folder too. */
  readonly program: string
  /** Compares what is stored with what a round's processes told, all of which are dead. */
  check(store: Store, steps: readonly Step[], round: string): Promise<Verdict>
  /** The same for all rounds at the end, where more can be said; repairs what crashes left before it looks at the layout. */
  finish(store: Store, steps: readonly Step[], url: string): Promise<Verdict>
}

/** Rounds of processes that are killed while they write with a model, on every real store. */
export function killRounds(killing: Killing): void {
  describe(`${killing.model}: ${rounds} rounds of ${writers} processes killed with kill -9`, () => {
    for (const [store, at] of placesOf('SQLite', 'MinIO'))
      test(`on ${store}: all that was acknowledged is there, and nothing was held twice`, () =>
        at((place) => run(killing, store, place)))
  })
}

async function run(killing: Killing, storeName: RecordedStore, place: Place): Promise<void> {
  const { model, promises, check, finish } = killing
  const record = recorded({ what: `${model}: writers killed`, store: storeName, promises })
  await using temporary = await temporaryFolder()
  const steps: Step[] = []
  const judge = async (judging: (store: Store) => Promise<Verdict>, counted: object) => {
    await using store = await openStore(place.url)
    const { lost, doubles, wrong } = await judging(store)
    const [lostCount, doublesCount] = [lost.length, doubles.length]
    record({ faults: 0, operations: 0, ...counted, lost: lostCount, doubles: doublesCount })
    assert.deepEqual({ lost, doubles, wrong }, { lost: [], doubles: [], wrong: [] })
  }
  for (let round = 0; round < rounds; round++) {
    mkdirSync(temporary.path(`round${round}`))
    const name = realpathSync(temporary.path(`round${round}`))
    const isServers = place.server !== undefined && round % serverEvery === serverEvery - 1
    const noted = await writeAndKill(killing.program, place, name, isServers)
    steps.push(...noted)
    await judge((store) => check(store, noted, name), {
      killRounds: 1,
      faults: writers + (isServers ? 1 : 0),
      operations: acknowledgedIn(noted).length,
    })
  }
  await judge((store) => finish(store, steps, place.url), {})
  const acknowledged = acknowledgedIn(steps).length
  assert.ok(acknowledged >= rounds, `only ${acknowledged} writes were acknowledged`)
}

/** Writers that die one after another, each at a random moment; so one meets with what another left half done. */
async function writeAndKill(
  program: string,
  { url, server }: Place,
  round: string,
  isServers: boolean,
): Promise<Step[]> {
  const nameOf = (at: number) => `${round.split('/').at(-1)}${'ab'[at]}`
  const all = Array.from(
    { length: writers },
    (_, at) => new Doomed(program, nameOf(at), [url, nameOf(at), round]),
  )
  try {
    await Promise.all(all.map((writer) => writer.telling()))
    await sleep(Math.random() * lifeMsMax)
    if (isServers) {
      await server?.kill()
      await sleep(Math.random() * lifeMsMax)
      await server?.restart()
    }
    for (const writer of all) {
      await sleep(Math.random() * lifeMsMax)
      await writer.kill()
    }
  } finally {
    for (const writer of all) await writer[Symbol.asyncDispose]()
  }
  return all.flatMap((writer) => writer.steps)
}
