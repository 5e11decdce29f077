import type { Store } from '../../store/index.ts'
import { bucketOf, idOfPlace, readyPrefix } from '../keys.ts'
import { Memory } from './memory.ts'
import type { Settings } from './options.ts'

/** How long to wait between two looks: when there is nothing else to do, and at most. */
const idleMs = 10_000
const busyMs = 60_000
/** How many are tried after one look: without versions, removals of ours are among them. */
const triedMax = 20
/** How long an empty object is not tried again. */
const triedMs = 5 * 60_000
const triedRemembered = 20_000

/**
 * Empty objects in the index, as other tools may write them: to the store they are absent. One page is looked at in a
 * while, in one request, and each page in its turn.
 */
export class Blanks {
  readonly #store: Store
  readonly #settings: Settings
  readonly #isForeign: (id: string) => boolean
  readonly #tried = new Memory(triedRemembered)
  #after: string | null = null
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(store: Store, settings: Settings, isForeign: (id: string) => boolean) {
    this.#store = store
    this.#settings = settings
    this.#isForeign = isForeign
  }

  isDue(isIdle: boolean): boolean {
    if (this.#store.blanks === undefined) return false
    return performance.now() - this.#lookedAt >= (isIdle ? idleMs : busyMs)
  }

  /** Ids of tasks that may be pending. */
  async look(nowMs: number): Promise<string[]> {
    const now = performance.now()
    this.#lookedAt = now
    const page = await this.#store.blanks?.(readyPrefix, this.#after)
    this.#after = page?.next ?? null
    const ids: string[] = []
    for (const key of page?.keys ?? []) {
      if (ids.length === triedMax) break
      const path = key.slice(readyPrefix.length + 1)
      const id = idOfPlace(path)
      const isOurs = id !== null && this.#settings.shards.includes(path.charAt(0))
      if (
        !isOurs ||
        this.#isForeign(id) ||
        path.slice(2, 12) > bucketOf(nowMs) ||
        this.#tried.isHeld(key, now)
      )
        continue
      this.#tried.hold(key, now + triedMs)
      ids.push(id)
    }
    return ids
  }
}
