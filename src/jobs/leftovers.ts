import { type Definition, Mender, orphanGraceMs } from '../collection/index.ts'
import type { Store } from '../store/index.ts'
import type { Clock } from './clock.ts'
import { byStatus } from './indexes.ts'
import { createdMsOf } from './keys.ts'
import type { StoredTask } from './task.ts'

/** A submission of many tasks may take so long from the time that it gives them to the last of them. */
const submissionMsMax = 3_600_000
const seenMax = 1_000

/**
 * Entries by status that no longer hold, as a crash on a store without transactions leaves them. Whoever comes upon one
 * takes it away, or everybody would come upon it again and again.
 */
export class Leftovers {
  readonly #mender: Mender<StoredTask>
  readonly #clock: Clock
  /** Since when entries of tasks that are not there have been seen, by place. */
  readonly #seen = new Map<string, number>()

  constructor(store: Store, definition: Definition<StoredTask>, clock: Clock) {
    this.#mender = new Mender(store, definition)
    this.#clock = clock
  }

  /**
   * Takes the entry of a pending task away that is not there (any more); says whether it stood until now, so that it was no
   * other worker who took the task. The entry of a submission stands before its task does, and only how long it has been
   * seen tells whether that is still to come: a task is as old as its submission, which may have taken long already.
   */
  async sweepPending(id: string, place: string, isThere: boolean): Promise<boolean> {
    if (isThere) return this.#sweep(id, `pending/${place}`)
    const nowMs = Date.parse(await this.#clock.now())
    const since = this.#seen.get(place) ?? nowMs
    if (nowMs - since >= orphanGraceMs || nowMs - createdMsOf(place) >= submissionMsMax) {
      this.#seen.delete(place)
      await this.#sweep(id, `pending/${place}`)
    } else this.#note(place, since)
    return true
  }

  /** Takes the entry of a claim away that has ended. */
  async sweepClaimed(id: string, place: string): Promise<void> {
    await this.#sweep(id, `claimed/${place}`)
  }

  #note(place: string, since: number): void {
    this.#seen.set(place, since)
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > seenMax) this.#seen.delete(oldest as string)
  }

  #sweep(id: string, path: string): Promise<boolean> {
    return this.#mender.sweep(id, byStatus.presence(path))
  }
}
