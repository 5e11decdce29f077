import type { MessagePort } from 'node:worker_threads'
import type { Store } from '../../store/internal.ts'
import { isLoss, TaskNotFoundError } from '../error.ts'
import { Registry } from '../registry.ts'
import { type HeldTask, Repository } from '../repository.ts'
import type { Task } from '../task.ts'
import { msOf } from '../time.ts'
import { type Heard, type LastWord, saidAt, sayAll } from './handover.ts'
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

type Tell = Extract<ToThread, { type: 'tell' }>

const tickMs = 100
const retryMs = 1_000

/** Watches over the leases of a worker, in a thread of its own. lease-guard.ts holds the connection to it. */
export class LeaseWatch {
  readonly #port: MessagePort
  readonly #store: Store | null
  readonly #repository: Repository | null
  readonly #leases = new Map<string, Lease>()
  /** Only while there are leases: an idle worker is to cost nothing. */
  #ticker: NodeJS.Timeout | undefined

  /** Without a store it watches over nothing, and says so when it is asked to write. */
  constructor(port: MessagePort, store: Store | null) {
    this.#port = port
    this.#store = store
    this.#repository = store && new Repository(store, () => {})
  }

  start(): void {
    this.#port.on('message', (message: ToThread) => this.#hear(message))
    this.#tell({ type: 'ready', canTell: this.#store !== null })
  }

  #hear(message: ToThread): void {
    if (message.type === 'add') for (const lease of message.leases) this.#add(lease)
    else if (message.type === 'drop')
      for (const leaseId of message.leaseIds) this.#leases.delete(leaseId)
    else if (message.type === 'raise') this.#raise(message.leaseId, message.limitMs)
    else if (message.type === 'tell') void this.#tellAll(message)
    else void this.#stop()
  }

  #add(lease: GuardedLease): void {
    const now = performance.now()
    this.#ticker ??= setInterval(() => this.#tick(), tickMs)
    const limit = new Limit(now + lease.leftMs, now + lease.limitMs)
    const held = this.#leases.get(lease.leaseId)?.held ?? null
    this.#leases.set(lease.leaseId, { ...lease, held, limit, retryAt: 0, isBusy: false })
  }

  #raise(leaseId: string, limitMs: number): void {
    const lease = this.#leases.get(leaseId)
    // What was found here, too, is not counted twice.
    lease?.limit.raise(Math.max(0, performance.now() + limitMs - lease.limit.at))
  }

  #tick(): void {
    if (this.#leases.size === 0) {
      clearInterval(this.#ticker)
      this.#ticker = undefined
    }
    const now = performance.now()
    for (const lease of this.#leases.values())
      if (!lease.isBusy && now >= dueAt(lease)) void this.#renew(lease, now)
  }

  /** Before the limit as far as the lease goes; at the limit once more, by what the handler may take to end. */
  async #renew(lease: Lease, now: number): Promise<void> {
    if (!this.#repository) return
    lease.isBusy = true
    const { id, leaseId, limit } = lease
    const leaseMs =
      now >= limit.aheadAt
        ? limit.at - now + lease.endMs + reportMs
        : Math.min(lease.leaseMs, limit.at - now)
    try {
      const nowMs = await this.#repository.store.now()
      const untilMs = nowMs + leaseMs
      lease.held ??= await this.#repository.tasks.hold(id)
      if (!lease.held) throw new TaskNotFoundError(id)
      const known = lease.held
      const command = ['renew', { leaseId, untilMs }] as const
      const { before, after, held } = await this.#repository.changeHeld(known, command)
      lease.held = held
      const endOf = ({ lease_expires_at }: Task) => now + msOf(lease_expires_at ?? '') - nowMs
      limit.see(endOf(before))
      limit.reach(now + leaseMs)
      if (held && after.lease_expires_at)
        this.#tell({
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
      // The worker notices the loss at its next write.
      if (isLoss(error)) this.#leases.delete(lease.leaseId)
      else lease.retryAt = performance.now() + retryMs
    } finally {
      lease.isBusy = false
    }
  }

  #tell(message: FromThread): void {
    this.#port.postMessage(message)
  }

  /** The thread of the handlers stands still until it is woken. */
  async #tellAll({ words, workerId, port, flag }: Tell): Promise<void> {
    for (const { leaseId } of words) this.#leases.delete(leaseId)
    const [heard] = await Promise.all([this.#sayAll(words), this.#deregister(workerId)])
    port.postMessage(heard)
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
  }

  async #sayAll(words: readonly LastWord[]): Promise<readonly Heard[] | null> {
    if (!this.#repository) return null
    const now = await this.#repository.store.now().catch(() => null)
    const timed = now === null ? words : words.map((word) => saidAt(word, Math.floor(now)))
    return sayAll(this.#repository, timed)
  }

  /** Nothing depends on it. */
  async #deregister(workerId: string): Promise<void> {
    if (this.#store) await new Registry(this.#store, () => {}).remove(workerId).catch(() => {})
  }

  async #stop(): Promise<void> {
    clearInterval(this.#ticker)
    this.#port.close()
    await this.#store?.[Symbol.asyncDispose]()
  }
}

/** In time, and again when the limit is near. */
const dueAt = ({ limit, leaseMs, retryAt }: Lease): number =>
  Math.max(retryAt, Math.min(limit.renewAt(leaseMs), limit.aheadAt))
