import type { StoreLimits } from '../../store.ts'

const answerMsMax = 2000

/**
 * Whether what a server acknowledges is on its disk. By default NATS syncs every two minutes and
 * acknowledges before; it tells how it is set up on its monitoring port alone. So we know where we are
 * given the addresses of those ports, and all of them say that every write is synced.
 */
export async function durabilityOf(
  monitors: readonly string[],
): Promise<StoreLimits['durability']> {
  const answers = await Promise.all(monitors.map(syncsAlways))
  return answers.length > 0 && answers.every(Boolean) ? 'durable' : 'unverified'
}

async function syncsAlways(monitor: string): Promise<boolean> {
  try {
    const address = new URL('varz', monitor.endsWith('/') ? monitor : `${monitor}/`)
    const response = await fetch(address, { signal: AbortSignal.timeout(answerMsMax) })
    const { jetstream } = (await response.json()) as {
      jetstream?: { config?: { sync_always?: boolean } }
    }
    return jetstream?.config?.sync_always === true
  } catch {
    return false
  }
}
