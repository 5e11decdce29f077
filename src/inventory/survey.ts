import type { Space } from '../collection/index.ts'
import type { Head, Store } from '../store/internal.ts'
import { isIn, models } from './models.ts'

/** How many of the documents that changed are named. */
const namedMax = 20

/** Watches over an export of a store that can't hold a moment: what is taken, and what changes meanwhile. */
export class Survey {
  readonly #store: Store
  /** The documents that were exported, and in what state. */
  readonly #taken = new Map<string, string>()
  /** What parts belong to that was not exported; whether it is there by now. */
  readonly #others = new Map<string, boolean>()

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Whether a document is to be exported. Not where it is a part of one that came too late to be exported itself: without
   * that it would be nobody's. What never had a whole is taken as it is.
   */
  async takes({ key, revision }: Head, { prefix, partOf }: Space): Promise<boolean> {
    const whole = partOf?.(key.slice(prefix.length + 1))
    if (whole !== undefined && !this.#taken.has(whole) && (await this.#isThere(whole))) return false
    this.#taken.set(key, revision)
    return true
  }

  async #isThere(key: string): Promise<boolean> {
    const isThere = this.#others.get(key) ?? (await this.#store.get(key)) !== null
    this.#others.set(key, isThere)
    return isThere
  }

  /** What is now otherwise than it was exported: another look at all of it, without reading it. */
  async changes(): Promise<{ changing: number; changingKeys: string[] }> {
    const changingKeys: string[] = []
    let changing = 0
    const tell = (key: string) => {
      changing++
      if (changingKeys.length < namedMax) changingKeys.push(key)
    }
    for (const { spaces } of models)
      for (const space of spaces)
        for await (const { key, revision } of this.#store.list(space.prefix)) {
          if (!isIn(space, key)) continue
          if (this.#taken.get(key) !== revision) tell(key)
          this.#taken.delete(key)
        }
    for (const key of this.#taken.keys()) tell(key)
    return { changing, changingKeys }
  }
}
