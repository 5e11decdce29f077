// The thread that watches over the leases of a worker, with a connection of its own; see lease-guard.ts.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openStore } from '../../store/internal.ts'
import type { FromThread } from './lease-guard.ts'
import { LeaseWatch } from './lease-watch.ts'

const port = parentPort as MessagePort
const { url } = workerData as { url: string }
const store = await openStore(url, { create: false }).catch((error: unknown) => {
  const warning = `Leases are not watched over: ${String(error)}`
  port.postMessage({ type: 'warning', warning } satisfies FromThread)
  return null
})
new LeaseWatch(port, store).start()
