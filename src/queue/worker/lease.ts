import type { Held } from '../../collection/index.ts'
import type { Stored } from '../document.ts'
import { isLoss } from '../error.ts'
import { isOfOneDocument } from '../set-aside.ts'
import type { Command } from '../step.ts'
import type { Task } from '../task.ts'
import { msOf } from '../time.ts'
import type { Renewal } from './lease-guard.ts'
import { aheadMs, Limit, reportMs } from './limit.ts'
import { persistently } from './persistently.ts'
import type { Workshop } from './workshop.ts'

/** What may be found: others have taken the task or want it to end, or the worker has ended without the store. */
export type Asked = 'lost' | 'cancelled' | 'shutdown'

interface Claim {
  readonly held: Held<Stored>
  /** By `performance.now()`. */
  readonly claimedAt: number
  /** How long its handler may take to end after it was aborted. */
  readonly endMs: number
  readonly onAsked: (why: Asked) => void
}

/** Where a thread watches over leases, its worker renews only what that thread has missed. */
const elapsedWithThread = 2 / 3

/**
 * The lease on a task, from its claim to the end of the attempt: kept while the task waits for its turn and while its handler
 * runs, up to the limit. What others do to the task meanwhile is found out here.
 */
export class Lease {
  readonly id: string
  readonly leaseId: string
  readonly endMs: number
  readonly limit: Limit
  /** How long it lasts with each renewal. */
  readonly leaseMs: number
  readonly #shop: Workshop
  readonly #onAsked: (why: Asked) => void
  #held: Held<Stored>
  /** When to look next whether somebody wants the task to end. */
  #nextLookAt: number
  #isBusy = false

  constructor(shop: Workshop, { held, claimedAt, endMs, onAsked }: Claim) {
    const { task } = held.value
    const timeoutMs = task.timeout_seconds * 1000
    this.#shop = shop
    this.#held = held
    this.#onAsked = onAsked
    this.id = held.id
    this.leaseId = task.lease_id as string
    this.endMs = endMs
    this.leaseMs = Math.min(shop.settings.leaseMs ?? timeoutMs, timeoutMs)
    this.limit = new Limit(claimedAt + this.leaseMs)
    this.#nextLookAt = claimedAt + shop.lookMs
  }

  /** The task as this attempt knows it. */
  get held(): Held<Stored> {
    return this.#held
  }

  /** Whether it lasts for certain, whatever became of this worker since the claim. */
  get isSure(): boolean {
    return performance.now() < this.#renewAt
  }

  /** The handler starts, and may run until then. */
  begin(at: number): void {
    this.limit.begin(at)
  }

  /** Looks at what is due: the lease, and what others may have asked for. */
  tick(now: number): void {
    if (this.#isBusy) return
    const { limit } = this
    // At the limit itself the lease expires, and others may take the task. A thread does this by itself.
    if (!this.#shop.guard && now >= limit.aheadAt)
      this.#alone(() => this.#reach(limit.at - now + this.endMs + aheadMs))
    else if (now >= this.#renewAt) this.#alone(() => this.#renew())
    else if (now >= this.#nextLookAt) this.#alone(() => this.#look())
  }

  /** The thread that watches over it has renewed it. */
  renewed({ from, revision, marks, expiresAt, endedAt, endsAt }: Renewal): void {
    this.#see(endedAt)
    this.limit.reach(endsAt)
    // Others have changed it before: what is known here must not be written over that.
    if (from !== this.#held.revision) return
    const { value, id } = this.#held
    const task = { ...value.task, lease_expires_at: expiresAt }
    this.#held = { id, revision, marks, value: { ...value, task } }
  }

  /** The limit of the handler, and its lease, last so much longer. */
  async extend(ms: number): Promise<void> {
    if (!(Number.isFinite(ms) && ms > 0)) throw new RangeError(`extend(${ms}): give milliseconds.`)
    const extension = this.#extend(ms)
    this.#shop.kept(extension.catch(() => {}))
    await extension
  }

  async #extend(ms: number): Promise<void> {
    try {
      await this.#change(['extend', { leaseId: this.leaseId, ms }])
    } catch (error) {
      if (isLoss(error)) this.#onAsked('lost')
      throw error
    }
    this.limit.raise(ms)
    this.#shop.guard?.raise(this)
  }

  /** The lease is to last for so long from now on. A store that is away is no reason to fail. */
  prolong(ms: number): Promise<void> {
    const prolonged = this.#reach(ms).catch((error: unknown) => this.#heedFailure(error))
    this.#shop.kept(prolonged)
    return prolonged
  }

  /** Renews it until it lasts for certain, or is lost; false where it is, or `mayGoOn` says no. */
  secure(mayGoOn: () => boolean): Promise<boolean> {
    const secured = this.#secure(mayGoOn)
    this.#shop.kept(secured)
    return secured
  }

  async #secure(mayGoOn: () => boolean): Promise<boolean> {
    const renew = async () => {
      if (mayGoOn()) await this.#renew()
    }
    this.#isBusy = true
    try {
      while (mayGoOn() && !this.isSure) await persistently(this.#shop, renew)
    } catch (error) {
      this.#heedFailure(error)
      if (!isLoss(error)) this.#onAsked('shutdown')
      return false
    } finally {
      this.#isBusy = false
    }
    return mayGoOn()
  }

  get #renewAt(): number {
    return this.limit.renewAt(this.leaseMs, this.#shop.guard ? elapsedWithThread : undefined)
  }

  async #reach(ms: number): Promise<void> {
    const reachAt = performance.now() + ms + reportMs
    const untilMs = (await this.#shop.now()) + ms + reportMs
    await this.#change(['renew', { leaseId: this.leaseId, untilMs }])
    this.limit.reach(reachAt)
  }

  async #renew(): Promise<void> {
    const now = performance.now()
    const ms = Math.min(this.leaseMs, this.limit.at - now)
    const untilMs = (await this.#shop.now()) + ms
    await this.#change(['renew', { leaseId: this.leaseId, untilMs }])
    this.limit.reach(now + ms)
  }

  /** Others may have cancelled it, taken it away, or given it more time. */
  async #look(): Promise<void> {
    this.#nextLookAt = performance.now() + this.#shop.lookMs
    const held = await this.#shop.repository.tasks.hold(this.id)
    const task = held?.value.task
    if (!task || task.lease_id !== this.leaseId) return this.#onAsked('lost')
    if (held.revision === this.#held.revision) return
    await this.#heed(task)
    this.#held = { ...held, marks: this.#held.marks }
  }

  /** What others may have made of it: they want it to end, or to last longer. */
  async #heed({ cancel_requested, lease_expires_at: time }: Task): Promise<void> {
    if (cancel_requested) this.#onAsked('cancelled')
    const now = performance.now()
    // The thread may have given the handler the time to end by then; it tells what it found.
    const isThreads = this.#shop.guard !== null && now >= this.limit.mayReachAt
    if (time !== null && !isThreads) this.#see(now + msOf(time) - (await this.#shop.now()))
  }

  /** Somebody may have given it more time: the limit is never before the end of the lease. */
  #see(leaseEndsAt: number): void {
    if (this.limit.see(leaseEndsAt) > 0) this.#shop.guard?.raise(this)
  }

  async #change(command: Command): Promise<void> {
    const known = this.#held.value.task
    const { before, held } = await this.#shop.repository.changeHeld(this.#held, command)
    if (before !== known) await this.#heed(before)
    if (held) this.#held = held
  }

  /** One thing at a time; a store that is away is asked again with the next tick. */
  #alone(run: () => Promise<void>): void {
    this.#shop.kept(this.#inTurn(run))
  }

  async #inTurn(run: () => Promise<void>): Promise<void> {
    this.#isBusy = true
    try {
      await run()
    } catch (error) {
      this.#heedFailure(error)
    } finally {
      this.#isBusy = false
    }
  }

  #heedFailure(error: unknown): void {
    if (isLoss(error)) this.#onAsked('lost')
    else if (!isOfOneDocument(error)) this.#shop.away(error)
    else this.#shop.aside.tellError(this.id, `The lease of task ${this.id} can't be kept`, error)
  }
}
