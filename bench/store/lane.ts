// One process of the benchmark: opens its side of a file, then does what its parent says.
import { openDriver } from './driver.js'
import { openRaw } from './raw.js'
import { type Order, workload } from './workload.js'

const [kind, path, lane] = process.argv.slice(2) as [string, string, string]
const side = await (kind === 'raw' ? openRaw(path) : openDriver(path))

const actions: Readonly<Record<Order, () => Promise<unknown>>> = {
  'warm up': () => side.commits(`warm-up-${lane}`, workload.warmUpCommits),
  commits: () => side.commits(lane, workload.commits),
  gets: () => side.gets(lane),
  scans: () => side.scans(),
  close: () => side.close(),
}

process.on('message', async (order: Order) => {
  process.send?.((await actions[order]()) ?? 'done')
  if (order === 'close') process.disconnect()
})
process.send?.('ready')
