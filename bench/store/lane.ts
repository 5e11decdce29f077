// One process of the benchmark: opens its side of a file, then runs the step its parent names.
import { openDriver } from './driver.js'
import { openRaw } from './raw.js'
import type { Step } from './workload.js'

const [kind, path, lane] = process.argv.slice(2) as [string, string, string]
const side = await (kind === 'raw' ? openRaw(path) : openDriver(path))

process.on('message', async (step: Step | 'close') => {
  if (step === 'close') {
    await side.close()
    process.disconnect()
    return
  }
  process.send?.(step === 'scans' ? await side.scans() : await side[step](lane))
})
process.send?.('ready')
