import type { Held } from '../../collection/index.ts'
import type { Stored } from '../document.ts'
import { QueueError } from '../error.ts'
import { newLeaseId } from '../id.ts'
import { isOfOneDocument } from '../set-aside.ts'
import { msOf } from '../time.ts'
import { Execution } from './execution.ts'
import type { Finder } from './finder.ts'
import { isUnknown, persistently } from './persistently.ts'
import type { Candidate } from './sieve.ts'
import type { Workshop } from './workshop.ts'

/** How long a task that can't be read is not looked at again. */
const corruptMs = 10 * 60_000
/** How long an entry whose task is not pending is left to whoever has just claimed it. */
const staleMs = 15_000
/** How long a task that the log showed is not looked at again, as long as it is not pending. */
const endedMs = 60 * 60_000
const soonMsMax = 60_000
/** How long an entry without a task is not looked at again: twice as long each time. */
const absentMsMin = 50
const absentRemembered = 20_000
/** A task that is due in a moment is, with a clock that goes on, not seen more often before. */
const earlyUsual = 3
const earlyRemembered = 1_000
const patienceMsMax = 1_000

/** Claims candidates: looks at the task, and takes it if it can be had. */
export class Claimer {
  readonly #shop: Workshop
  readonly #finder: Finder
  /** How often entries were seen whose tasks are not there. */
  readonly #absent = new Map<string, number>()
  /** How often in a row tasks were seen a moment before they were due. */
  readonly #early = new Map<string, number>()
  /** When a task that is not due yet will be, by `performance.now()`. */
  #dueAt = Number.POSITIVE_INFINITY

  constructor(shop: Workshop, finder: Finder) {
    this.#shop = shop
    this.#finder = finder
  }

  /** How long until a task that was seen can be claimed. */
  nextDueMs(): number {
    const leftMs = this.#dueAt - performance.now()
    if (leftMs <= 0) this.#dueAt = Number.POSITIVE_INFINITY
    return Math.max(1, leftMs)
  }

  /** Null where it can't be had. Never throws. */
  async claim(candidate: Candidate): Promise<Execution | null> {
    const startedAt = performance.now()
    try {
      const held = await this.#shop.repository.tasks.hold(candidate.id)
      const now = this.#shop.now()
      const nowMs = typeof now === 'number' ? now : await now
      if (held === null) this.#noteAbsent(candidate)
      if (held === null || !this.#isForUs(held, candidate, nowMs)) return null
      const { id, value, revision } = held
      const marks = candidate.entry ? [candidate.entry] : []
      const claimed = await this.#take({ id, value, revision, marks }, nowMs)
      if (claimed === null) return null
      const { metrics } = this.#shop
      metrics.count('tasks_claimed', claimed.value.task.task_type)
      metrics.observe('claim_seconds', (performance.now() - startedAt) / 1000)
      metrics.observe(
        'wait_seconds',
        Math.max(0, nowMs - msOf(held.value.task.available_at)) / 1000,
      )
      return new Execution(this.#shop, claimed, startedAt)
    } catch (error) {
      this.#tell(candidate.id, error)
      return null
    }
  }

  /** The task may be about to be created, or never be there: its entry is looked at less and less often. */
  #noteAbsent({ entry }: Candidate): void {
    if (entry === null) return
    const name = `${entry.key} ${entry.revision}`
    const count = (this.#absent.get(name) ?? 0) + 1
    this.#absent.delete(name)
    this.#absent.set(name, count)
    const [oldest] = this.#absent.keys()
    if (this.#absent.size > absentRemembered) this.#absent.delete(oldest as string)
    const ms = Math.min(staleMs, absentMsMin * 2 ** count)
    this.#finder.sieve.stale.hold(name, performance.now() + ms)
  }

  #isForUs(held: Held<Stored>, { entry, source }: Candidate, nowMs: number): boolean {
    const now = performance.now()
    const { id, revision, value } = held
    const { task } = value
    if (task.status !== 'pending') {
      // In the same state it is stale still; the task may get another one at any time.
      if (entry) this.#finder.sieve.stale.hold(`${entry.key} ${entry.revision}`, now + staleMs)
      if (source === 'log' || source === 'blank')
        this.#finder.sieve.ended.hold(`${id} ${revision}`, now + endedMs)
      return false
    }
    if (source === 'blank') this.#finder.noteBlank()
    if (!this.#shop.settings.handlers.has(task.task_type)) {
      this.#finder.noteForeign(id)
      return false
    }
    const waitMs = msOf(task.available_at) - nowMs
    if (waitMs <= 0) return true
    // Not a moment too late, and not again and again before.
    const ms = this.#patience(id, waitMs)
    this.#finder.postpone(id, now + Math.min(ms, soonMsMax))
    this.#dueAt = Math.min(this.#dueAt, now + ms)
    return false
  }

  /** How long to leave a task alone that is not due: longer each time while the clock stands still, as one does that was set back. */
  #patience(id: string, waitMs: number): number {
    const count = waitMs < patienceMsMax ? (this.#early.get(id) ?? 0) + 1 : 0
    if (this.#early.size >= earlyRemembered) this.#early.clear()
    this.#early.set(id, count)
    return count <= earlyUsual ? waitMs : Math.max(waitMs, Math.min(patienceMsMax, 2 ** count))
  }

  #take(held: Held<Stored>, nowMs: number): Promise<Held<Stored> | null> {
    const { settings, repository, metrics } = this.#shop
    const leaseId = newLeaseId()
    const command = { workerId: settings.id, leaseId, leaseMs: settings.leaseMs, nowMs }
    return repository.changeHeld(held, ['claim', command]).then(
      ({ held: claimed }) => claimed ?? this.#settle(held.id, leaseId),
      (error) => {
        if (isUnknown(error)) return this.#settle(held.id, leaseId)
        // Somebody else has it.
        if (!(error instanceof QueueError)) throw error
        metrics.count('claims_lost', held.value.task.task_type)
        return null
      },
    )
  }

  /** Whether a claim whose answer was lost is there, as soon as the store tells. */
  async #settle(id: string, leaseId: string): Promise<Held<Stored> | null> {
    const hold = () => this.#shop.repository.tasks.hold(id)
    const held = await persistently(this.#shop, hold)
    return held?.value.task.lease_id === leaseId ? held : null
  }

  #tell(id: string, error: unknown): void {
    if (isOfOneDocument(error)) {
      this.#shop.aside.tellError(id, `Task ${id} can't be claimed`, error)
      this.#finder.sieve.memory.hold(id, performance.now() + corruptMs)
    } else {
      this.#shop.away(error)
      this.#finder.restart()
    }
  }
}
