// The thread that watches over the leases of a worker, with a connection of its own; see lease-guard.ts.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openStore } from '../../store/index.ts'
import { isLoss, TaskNotFoundError } from '../error.ts'
import { type HeldTask, Repository } from '../repository.ts'
import type { Task } from '../task.ts'
import { msOf } from '../time.ts'
import { sayAll } from './handover.ts'
import type { FromThread, GuardedLease, ToThread } from './lease-guard.ts'
import { Limit, reportMs } from './limit.ts'

/** A lease, with times by `performance.now()`. */
interface Lease extends GuardedLease {
  held: HeldTask | null
  readonly limit: Limit
  /** After a failure, when to try again. */
  retryAt: number
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
  else if (message.type === 'tell') void tellAll(message)
  else void stop()
})
tell({ type: 'ready' })

function add(lease: GuardedLease): void {
  const now = performance.now()
  ticker ??= setInterval(() => tick(), tickMs)
  const limit = new Limit(now + lease.leftMs, now + lease.limitMs)
  const held = leases.get(lease.leaseId)?.held ?? null
  leases.set(lease.leaseId, { ...lease, held, limit, retryAt: 0, isBusy: false })
}

function raise(leaseId: string, limitMs: number): void {
  const lease = leases.get(leaseId)
  // What was found here, too, is not counted twice.
  lease?.limit.raise(Math.max(0, performance.now() + limitMs - lease.limit.at))
}

/** In time, and again when the limit is near. */
const dueAt = ({ limit, leaseMs, retryAt }: Lease): number =>
  Math.max(retryAt, Math.min(limit.renewAt(leaseMs), limit.aheadAt))

function tick(): void {
  if (leases.size === 0) {
    clearInterval(ticker)
    ticker = undefined
  }
  const now = performance.now()
  for (const lease of leases.values())
    if (!lease.isBusy && now >= dueAt(lease)) void renew(lease, now)
}

/** Before the limit as far as the lease goes; at the limit once more, by what the handler may take to end. */
async function renew(lease: Lease, now: number): Promise<void> {
  if (!repository) return
  lease.isBusy = true
  const { id, leaseId, limit } = lease
  const leaseMs =
    now >= limit.aheadAt
      ? limit.at - now + lease.endMs + reportMs
      : Math.min(lease.leaseMs, limit.at - now)
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
    limit.see(endOf(before))
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
  } catch (error) {
    lease.held = null
    // Its worker finds out by itself.
    if (isLoss(error)) leases.delete(lease.leaseId)
    else lease.retryAt = performance.now() + retryMs
  } finally {
    lease.isBusy = false
  }
}

function tell(message: FromThread): void {
  port.postMessage(message)
}

/** The thread of the handlers stands still until it is woken. */
async function tellAll({ words, port, flag }: Extract<ToThread, { type: 'tell' }>): Promise<void> {
  for (const { leaseId } of words) leases.delete(leaseId)
  port.postMessage(repository && (await sayAll(repository, words)))
  Atomics.store(flag, 0, 1)
  Atomics.notify(flag, 0)
}

async function stop(): Promise<void> {
  clearInterval(ticker)
  port.close()
  await store?.[Symbol.asyncDispose]()
}
