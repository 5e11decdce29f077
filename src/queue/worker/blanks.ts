import type { Store } from '../../store/internal.ts'
import { bucketOf, idOfPlace, readyPrefix } from '../keys.ts'
import { Memory } from './memory.ts'
import type { Settings } from './options.ts'

/** How long to wait between two looks: when there is nothing else to do, and at most. */
const idleMs = 10_000
const busyMs = 60_000
/** How many are tried at a time: without versions, removals of ours are among them. */
const triedMax = 20
/** How long an empty object is not tried again. */
const triedMs = 5 * 60_000
const triedRemembered = 20_000

/**
 * Empty objects in the index, as other tools may write them: to the store they are absent. One page is looked at in a
 * while, in one request, and each page in its turn. While what is found there are pending tasks, it goes on at once.
 */
export class Blanks {
  readonly #store: Store
  readonly #settings: Settings
  readonly #isForeign: (id: string) => boolean
  readonly #tried = new Memory(triedRemembered)
  /** Of the last page, what was not tried yet. */
  #left: { readonly key: string; readonly id: string }[] = []
  #isFruitful = false
  #after: string | null = null
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(store: Store, settings: Settings, isForeign: (id: string) => boolean) {
    this.#store = store
    this.#settings = settings
    this.#isForeign = isForeign
  }

  /** One of those that were tried is a pending task. */
  noteFound(): void {
    this.#isFruitful = true
  }

  /** `isFree` where nothing else is waiting to be tried. */
  isDue({ isIdle, isFree }: { isIdle: boolean; isFree: boolean }): boolean {
    if (this.#store.blanks === undefined) return false
    if (this.#isFruitful && isFree) return true
    return performance.now() - this.#lookedAt >= (isIdle ? idleMs : busyMs)
  }

  /** Ids of tasks that may be pending. */
  async look(nowMs: number): Promise<string[]> {
    if (!this.#isFruitful || this.#left.length === 0) await this.#list(nowMs)
    this.#isFruitful = false
    const now = performance.now()
    return this.#left.splice(0, triedMax).map(({ key, id }) => {
      this.#tried.hold(key, now + triedMs)
      return id
    })
  }

  /** The next page. */
  async #list(nowMs: number): Promise<void> {
    const now = performance.now()
    this.#lookedAt = now
    this.#left = []
    const page = await this.#store.blanks?.(readyPrefix, this.#after)
    this.#after = page?.next ?? null
    for (const key of page?.keys ?? []) {
      const path = key.slice(readyPrefix.length + 1)
      const id = idOfPlace(path)
      const isOurs = id !== null && this.#settings.shards.includes(path.charAt(0))
      if (!isOurs || this.#isForeign(id) || path.slice(2, 12) > bucketOf(nowMs)) continue
      if (!this.#tried.isHeld(key, now)) this.#left.push({ key, id })
    }
  }
}
