import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the range from which systems take ports for outgoing connections. In that range, a client that keeps
 * calling a server which is down would sooner or later be given the server's port, and talk to itself.
 */
const portFirst = 15_000
const portLast = 30_000

/** Ports of loopback on which nobody listens now. */
export async function freePorts(count: number): Promise<number[]> {
  const free = new Set<number>()
  while (free.size < count) {
    const port = portFirst + Math.floor(Math.random() * (portLast - portFirst))
    if (await isFree(port)) free.add(port)
  }
  return [...free]
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
    return true
  } catch {
    return false
  } finally {
    probe.close()
  }
}

/** Whether a server's log says that another one was faster. */
export const isPortTaken = (log: string): boolean => /address already in use|in use/i.test(log)
