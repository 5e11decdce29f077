// queue-idle URL: a worker with nothing to do; says how much of a core it has used when it is asked.
import { Worker } from 'holdfast/queue'
import { openStore } from 'holdfast/store'

const store = await openStore(process.argv[2] as string)
const worker = new Worker(store, { handlers: { nothing: () => null } })
await worker.start()
process.send?.('ready')
process.on('message', () => process.send?.(process.cpuUsage()))
