import { type Definition, FirstSeen, Mender, orphanGraceMs } from '../collection/index.ts'
import type { Head, Store } from '../store/internal.ts'
import type { Clock } from './clock.ts'
import { byStatus } from './indexes.ts'
import { createdMsOf } from './keys.ts'
import type { StoredTask } from './task.ts'

/**
 * An entry that is older was left behind for certain: no submission takes so long, and no clock that somebody relies on is
 * off by as much.
 */
const submissionMsMax = 24 * 3_600_000
const seenMax = 10_000
/** By then an entry that was seen has been taken away by others, or its task has come. */
const forgetMs = 60 * orphanGraceMs

/** The entry of a pending task as a worker saw it. */
interface SeenEntry {
  readonly place: string
  readonly head: Head
  /** Whether its task is there. */
  readonly isThere: boolean
}

/**
 * Entries by status that no longer hold, as a crash on a store without transactions leaves them. Whoever comes upon one
 * takes it away, or everybody would come upon it again and again.
 */
export class Leftovers {
  readonly #mender: Mender<StoredTask>
  readonly #clock: Clock
  /** Entries of tasks that are not there, by place and state; by a clock that never jumps. */
  readonly #seen = new FirstSeen({ max: seenMax, forgetMs })

  constructor(store: Store, definition: Definition<StoredTask>, clock: Clock) {
    this.#mender = new Mender(store, definition)
    this.#clock = clock
  }

  /**
   * Takes the entry of a pending task away that is not there (any more); says whether it stood until now, so that it was no
   * other worker who took the task. The entry of a submission stands before its task does, and only how long it has been
   * seen tells whether that is still to come: a task is as old as its submission, which may have taken long already.
   */
  async sweepPending(id: string, { place, head, isThere }: SeenEntry): Promise<boolean> {
    if (isThere) return this.#sweep(id, `pending/${place}`)
    // A submission that takes long puts its entry again: that is another state, whose time begins anew.
    const state = `${place} ${head.revision}`
    const seenMs = this.#seen.ageMs(state, performance.now())
    if (seenMs >= orphanGraceMs || (await this.#isOld(place))) {
      this.#seen.forget(state)
      await this.#mender.sweepSeen(id, head)
    }
    return true
  }

  /** Takes the entry of a claim away that has ended. */
  async sweepClaimed(id: string, place: string): Promise<void> {
    await this.#sweep(id, `claimed/${place}`)
  }

  async #isOld(place: string): Promise<boolean> {
    return Date.parse(await this.#clock.now()) - createdMsOf(place) >= submissionMsMax
  }

  #sweep(id: string, path: string): Promise<boolean> {
    return this.#mender.sweep(id, byStatus.presence(path))
  }
}
