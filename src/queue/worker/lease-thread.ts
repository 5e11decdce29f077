// The thread that watches over the leases of a worker, with a connection of its own; see lease-guard.ts.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openStore } from '../../store/index.ts'
import { isLoss, TaskNotFoundError } from '../error.ts'
import { type HeldTask, Repository } from '../repository.ts'
import type { Task } from '../task.ts'
import { msOf } from '../time.ts'
import type { FromThread, GuardedLease, ToThread } from './lease-guard.ts'
import { aheadMs, Limit, renewalsPerLease, reportMs } from './limit.ts'

/** A lease, with times by `performance.now()`. */
interface Lease extends GuardedLease {
  held: HeldTask | null
  readonly limit: Limit
  /** When to renew it next. */
  dueAt: number
  isBusy: boolean
}

const tickMs = 100
const retryMs = 1_000

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
  else if (message.type === 'raise') raise(message.leaseId, message.limitMs)
  else void stop()
})
tell({ type: 'ready' })

function add(lease: GuardedLease): void {
  const now = performance.now()
  const limit = new Limit(now + lease.limitMs)
  ticker ??= setInterval(() => tick(), tickMs)
  const added = { ...lease, held: null, limit, dueAt: 0, isBusy: false }
  schedule(added, now)
  leases.set(lease.leaseId, added)
}

function raise(leaseId: string, limitMs: number): void {
  const lease = leases.get(leaseId)
  if (!lease) return
  const now = performance.now()
  // What was found here, too, is not counted twice.
  lease.limit.raise(Math.max(0, now + limitMs - lease.limit.at))
  schedule(lease, now)
}

/** When to renew it next: in time, and again when the limit is near. */
function schedule(lease: Lease, now: number): void {
  const lastAt = lease.limit.at - aheadMs
  const nextAt = lease.leaseMs === undefined ? lastAt : now + lease.leaseMs / renewalsPerLease
  lease.dueAt = Math.min(nextAt, lastAt)
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
  const { id, leaseId, limit } = lease
  const isAtLimit = now >= limit.at - aheadMs
  const leaseMs = isAtLimit
    ? limit.at - now + lease.endMs + reportMs
    : Math.min(lease.leaseMs ?? 0, limit.at - now)
  try {
    const nowMs = await repository.store.now()
    const untilMs = nowMs + leaseMs
    lease.held ??= await repository.tasks.hold(id)
    if (!lease.held) throw new TaskNotFoundError(id)
    const known = lease.held
    const command = ['renew', { leaseId, untilMs }] as const
    const { before, after, held } = await repository.changeHeld(known, command)
    lease.held = held
    const endOf = ({ lease_expires_at }: Task) => now + msOf(lease_expires_at ?? '') - nowMs
    const isExtended = limit.see(endOf(before)) > 0
    limit.reach(now + leaseMs)
    if (held && after.lease_expires_at)
      tell({
        type: 'renewed',
        leaseId,
        from: before === known.value.task ? known.revision : null,
        revision: held.revision,
        marks: held.marks,
        expiresAt: after.lease_expires_at,
        endsAt: performance.timeOrigin + endOf(after),
        endedAt: performance.timeOrigin + endOf(before),
      })
    if (isAtLimit && !isExtended) lease.dueAt = Number.POSITIVE_INFINITY
    else schedule(lease, now)
  } catch (error) {
    lease.held = null
    // Its worker finds out by itself.
    if (isLoss(error)) leases.delete(lease.leaseId)
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
