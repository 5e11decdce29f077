// history-client PLAN: PLAN is JSON, see test/linearizability/plan.ts. Says that it is there, gets a timetable, and makes calls on a
// store round after round, by a clock that it shares with others. It writes down each call before it makes it, so that nothing is
// missing when it is killed.
import { once } from 'node:events'
import { openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from 'holdfast/store'
import { Client, groundOf } from '../linearizability/client.ts'
import { roundStart, type SharedPlan, type Timetable } from '../linearizability/plan.ts'
import { microsecondsBefore, Recorder } from '../linearizability/recorder.ts'
import { Random } from '../sim/random.ts'

const plan = JSON.parse(process.argv[2] as string) as SharedPlan
const { url, name, log, lanes, calls, keys, writesMax, rounds } = plan
const random = new Random(plan.seed)
const store = await openStore(url)
const file = openSync(log, 'a')
let round = 0

// Whoever started it is gone.
process.once('disconnect', () => process.exit())
const clients = Array.from({ length: lanes }, (_, lane) => {
  const client = `${name}.${lane}`
  const recorder = new Recorder(store, client, (note) => {
    writeSync(file, `${JSON.stringify([round, note])}\n`)
  })
  return new Client({ name: client, recorder, random: random.fork(), writesMax })
})

process.send?.('here')
const [said] = (await once(process, 'message')) as [string]
const timetable = JSON.parse(said) as Timetable

while (++round <= rounds) {
  const end = roundStart(timetable, round + 1)
  if (microsecondsBefore() >= end) continue
  const waitMs = (roundStart(timetable, round) - microsecondsBefore()) / 1000
  if (waitMs > 0) await sleep(waitMs)
  const ground = groundOf('sqlite', round, keys)
  const isOver = () => microsecondsBefore() >= end
  await Promise.all(clients.map((client) => client.act(ground, calls, isOver)))
}
await store[Symbol.asyncDispose]()
process.send?.('done')
process.disconnect()
