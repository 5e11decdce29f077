// One process of the benchmark: opens its side of a store, then does what its parent says.
import { openDriver } from './driver.js'
import { openRawNats } from './raw-nats.js'
import { openRawS3 } from './raw-s3.js'
import { openRawSqlite } from './raw-sqlite.js'
import { type Kind, type Order, workloads } from './workload.js'

const openers = { sqlite: openRawSqlite, nats: openRawNats, s3: openRawS3 }
const [kind, side, url, lane] = process.argv.slice(2) as [Kind, string, string, string]
const workload = workloads[kind]
const subject = await (side === 'raw' ? openers[kind] : openDriver)(url, workload)

let written = 0

async function warmUp(): Promise<void> {
  const [own, count] = [`warm-up-${lane}`, workload.warmUpCommits]
  await subject.commits({ lane: own, from: 0, count })
  await subject.gets({ lane: own, count, written: count })
}

/** Goes on where the sample before ended, so that keys stay in the order of time. */
async function commits(): Promise<number> {
  const from = written
  written += workload.commits
  return subject.commits({ lane, from, count: workload.commits })
}

const actions: Readonly<Record<Order, () => Promise<unknown>>> = {
  'warm up': warmUp,
  commits,
  gets: () => subject.gets({ lane, count: workload.gets, written }),
  scans: () => subject.scans(),
  close: () => subject.close(),
}

process.on('message', async (order: Order) => {
  process.send?.((await actions[order]()) ?? 'done')
  if (order === 'close') process.disconnect()
})
process.send?.('ready')
