import { type Definition, Mender, orphanGraceMs } from '../collection/index.ts'
import type { Store } from '../store/index.ts'
import type { Clock } from './clock.ts'
import { byStatus } from './indexes.ts'
import { createdMsOf } from './keys.ts'
import type { StoredTask } from './task.ts'

/**
 * Entries by status that no longer hold, as a crash on a store without transactions leaves them. Whoever comes upon one
 * takes it away, or everybody would come upon it again and again.
 */
export class Leftovers {
  readonly #mender: Mender<StoredTask>
  readonly #clock: Clock

  constructor(store: Store, definition: Definition<StoredTask>, clock: Clock) {
    this.#mender = new Mender(store, definition)
    this.#clock = clock
  }

  /**
   * Takes the entry of a pending task away that is not there (any more); says whether it stood until now, so that it was no
   * other worker who took the task. The entry of a submission stands before its task does.
   */
  async sweepPending(id: string, place: string, isThere: boolean): Promise<boolean> {
    if (isThere) return this.#sweep(id, `pending/${place}`)
    const ageMs = Date.parse(await this.#clock.now()) - createdMsOf(place)
    if (ageMs >= orphanGraceMs) await this.#sweep(id, `pending/${place}`)
    return true
  }

  /** Takes the entry of a claim away that has ended. */
  async sweepClaimed(id: string, place: string): Promise<void> {
    await this.#sweep(id, `claimed/${place}`)
  }

  #sweep(id: string, path: string): Promise<boolean> {
    return this.#mender.sweep(id, byStatus.presence(path))
  }
}
