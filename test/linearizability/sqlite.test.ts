import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { Child } from '../child.ts'
import { Random } from '../sim/random.ts'
import { sized } from '../size.ts'
import { temporaryFolder } from '../store/ground.ts'
import { groundOf } from './client.ts'
import { historyOf, type Note } from './history.ts'
import { roundStart, type SharedPlan, type Timetable } from './plan.ts'
import { microsecondsBefore } from './recorder.ts'
import { recordEnd } from './round.ts'
import { seed, Tally } from './tally.ts'

const processes = 4
const rounds = sized(20, 1_500, 150)
/** A round is as long as a process takes to start, within bounds: on a machine with too much to do all takes longer. */
const [roundMsMin, roundMsMax] = [150, 1_000]
const killShare = 0.4
const pauseMsMax = 300
const calmMsMax = 150

type Shared = Omit<SharedPlan, 'name' | 'seed' | 'log'>

/** Processes that come and go, and what they have written down. */
class Crowd implements AsyncDisposable {
  kills = 0
  pauses = 0
  timetable: Timetable = { startAt: 0, roundUs: 0 }
  readonly #shared: Shared
  readonly #random: Random
  readonly #pathOf: (name: string) => string
  readonly #logs: string[] = []
  readonly #children: Child[] = []

  constructor(shared: Shared, random: Random, pathOf: (name: string) => string) {
    this.#shared = shared
    this.#random = random
    this.#pathOf = pathOf
  }

  /** Lets the first of them begin together. */
  async start(): Promise<void> {
    const bornAt = performance.now()
    while (this.#children.length < processes) this.#children.push(this.#born())
    for (const child of this.#children) assert.equal(await child.message(), 'here')
    const ms = Math.min(Math.max(performance.now() - bornAt, roundMsMin), roundMsMax)
    this.timetable = { startAt: microsecondsBefore(), roundUs: Math.ceil(ms * 1000) }
    for (const child of this.#children) child.send(JSON.stringify(this.timetable))
  }

  /** Kills one with `kill -9` and starts another in its place, or stops one for a while. */
  async disturb(): Promise<void> {
    const index = this.#random.int(0, processes - 1)
    const child = this.#children[index]!
    if (this.#random.chance(killShare)) {
      await child.kill()
      this.#children[index] = this.#born()
      this.#children[index].send(JSON.stringify(this.timetable))
      this.kills++
    } else if (child.process.kill('SIGSTOP')) {
      await sleep(this.#random.next() * pauseMsMax)
      child.process.kill('SIGCONT')
      this.pauses++
    }
  }

  /** Fails where one has ended by a failure. */
  async ended(): Promise<void> {
    for (const child of this.#children) {
      const said = await child.message()
      assert.equal(said === 'here' ? await child.message() : said, 'done')
    }
  }

  /** By round, what all have written down. A line that was cut off is of a call that never began. */
  notes(): Map<number, Note[]> {
    const byRound = new Map<number, Note[]>()
    for (const log of this.#logs.filter((path) => existsSync(path)))
      for (const line of readFileSync(log, 'utf8').split('\n').slice(0, -1)) {
        const [round, note] = JSON.parse(line) as [number, Note]
        byRound.set(round, [...(byRound.get(round) ?? []), note])
      }
    return byRound
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#children.map((child) => child.kill()))
  }

  #born(): Child {
    const name = `p${this.#logs.length}`
    const log = this.#pathOf(`${name}.log`)
    this.#logs.push(log)
    const plan: SharedPlan = { ...this.#shared, name, log, seed: this.#random.int(0, 2 ** 32) }
    return new Child('history-client', [JSON.stringify(plan)])
  }
}

test(`SQLite is linearizable: ${processes} processes, killed and stopped, ${rounds} rounds`, {
  timeout: 3_600_000,
}, async () => {
  await using folder = await temporaryFolder()
  const url = `sqlite:${folder.path('store.db')}`
  const work = { url, lanes: 3, calls: 25, keys: 3, writesMax: 3, rounds }
  const random = new Random(seed)
  await using crowd = new Crowd(work, random, (name) => folder.path(name))
  await crowd.start()
  while (microsecondsBefore() < roundStart(crowd.timetable, rounds)) {
    await crowd.disturb()
    await sleep(random.next() * calmMsMax)
  }
  await crowd.ended()
  await using store = await openStore(url)
  const tally = new Tally('SQLite')
  for (const [round, notes] of crowd.notes()) {
    const end = await recordEnd(store, groundOf('sqlite', round, work.keys))
    tally.add(historyOf([...notes, ...end]))
  }
  process.stdout.write(`${crowd.kills} processes killed, ${crowd.pauses} stopped for a while\n`)
  tally.settle()
})
