// The thread that watches over the leases of a worker, with a connection of its own; see lease-guard.ts.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openStore } from '../../store/index.ts'
import { LostLeaseError, TaskNotFoundError } from '../error.ts'
import { type HeldTask, Repository } from '../repository.ts'
import type { FromThread, GuardedLease, ToThread } from './lease-guard.ts'

/** A lease, with times by `performance.now()`. */
interface Lease extends GuardedLease {
  held: HeldTask | null
  limitAt: number
  /** When to renew it next. */
  dueAt: number
  isBusy: boolean
}

const tickMs = 100
const renewalsPerLease = 3
/** So long before the limit, a handler that has not ended is given the time to do so. */
const marginMs = 250
const retryMs = 1_000
/** How long the report of an attempt that has just ended may take. */
const reportMs = 5_000

const port = parentPort as MessagePort
const { url } = workerData as { url: string }
const store = await openStore(url, { create: false }).catch((error: unknown) => {
  tell({ type: 'warning', warning: `Leases are not watched over: ${String(error)}` })
  return null
})
const repository = store && new Repository(store, () => {})
const leases = new Map<string, Lease>()
/** Only while there are leases: an idle worker is to cost nothing. */
let ticker: NodeJS.Timeout | undefined

port.on('message', (message: ToThread) => {
  if (message.type === 'add') for (const lease of message.leases) add(lease)
  else if (message.type === 'drop') for (const leaseId of message.leaseIds) leases.delete(leaseId)
  else if (message.type === 'raise') raise(message.leaseId, message.ms)
  else void stop()
})

function add(lease: GuardedLease): void {
  const now = performance.now()
  const limitAt = now + lease.limitMs
  const firstMs =
    lease.leaseMs === undefined ? lease.limitMs - marginMs : lease.leaseMs / renewalsPerLease
  ticker ??= setInterval(() => tick(), tickMs)
  leases.set(lease.leaseId, { ...lease, held: null, limitAt, dueAt: now + firstMs, isBusy: false })
}

function raise(leaseId: string, ms: number): void {
  const lease = leases.get(leaseId)
  if (!lease) return
  lease.limitAt += ms
  if (lease.leaseMs === undefined) lease.dueAt = lease.limitAt - marginMs
}

function tick(): void {
  if (leases.size === 0) {
    clearInterval(ticker)
    ticker = undefined
  }
  const now = performance.now()
  for (const lease of leases.values())
    if (now >= lease.dueAt && !lease.isBusy) void renew(lease, now)
}

/** Before the limit as far as the lease goes; at the limit once more, by what the handler may take to end. */
async function renew(lease: Lease, now: number): Promise<void> {
  if (!repository) return
  lease.isBusy = true
  const isAtLimit = now >= lease.limitAt - marginMs
  const aheadMs = isAtLimit
    ? lease.limitAt - now + lease.endMs + reportMs
    : Math.min(lease.leaseMs ?? 0, lease.limitAt - now)
  try {
    const untilMs = (await repository.store.now()) + aheadMs
    const { id, leaseId } = lease
    lease.held ??= await repository.tasks.hold(id)
    if (!lease.held) throw new TaskNotFoundError(id)
    const { after, held } = await repository.changeHeld(lease.held, ['renew', { leaseId, untilMs }])
    lease.held = held
    if (held && after.lease_expires_at)
      tell({
        type: 'renewed',
        leaseId,
        revision: held.revision,
        marks: held.marks,
        expiresAt: after.lease_expires_at,
      })
    lease.dueAt = isAtLimit
      ? Number.POSITIVE_INFINITY
      : Math.min(now + (lease.leaseMs ?? 0) / renewalsPerLease, lease.limitAt - marginMs)
  } catch (error) {
    lease.held = null
    // Its worker finds out by itself.
    if (error instanceof LostLeaseError || error instanceof TaskNotFoundError)
      leases.delete(lease.leaseId)
    else lease.dueAt = performance.now() + retryMs
  } finally {
    lease.isBusy = false
  }
}

function tell(message: FromThread): void {
  port.postMessage(message)
}

async function stop(): Promise<void> {
  clearInterval(ticker)
  port.close()
  await store?.[Symbol.asyncDispose]()
}
