import type { Store } from '../store/internal.ts'
import { shards } from './fields.ts'
import { idOfPlace } from './keys.ts'

/** How many of the newest are picked at a time: sorting all of 100,000 would hold the event loop. */
const pickedMax = 4_096
/** For how long the next pages of a list may go by what the index said when it was listed. */
const keptMs = 5_000

/**
 * Where a task stands in lists: by the time in its id, then by its shard. An id that another tool made is a random
 * place; so within a page tasks are sorted by their creation.
 */
export const rankOf = (id: string): string => id.slice(1) + id.charAt(0)
export const idOfRank = (rank: string): string => rank.slice(-1) + rank.slice(0, -1)

/** The tasks that an index names, each once, however many entries it has. */
export class Names {
  readonly #ids: ReadonlyMap<string, ReadonlySet<string>>

  constructor(ids: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#ids = ids
  }

  has(id: string): boolean {
    return this.#ids.get(id.charAt(0))?.has(id) ?? false
  }

  /** Those that rank before another, highest first: some of them, or all if they are few. */
  newest(before: string | null): string[] {
    let picked: string[] = []
    let least = ''
    const cut = () => {
      picked = picked.sort().reverse().slice(0, pickedMax)
      if (picked.length === pickedMax) least = picked.at(-1) as string
    }
    for (const ids of this.#ids.values())
      for (const id of ids) {
        const rank = rankOf(id)
        if (rank <= least || (before !== null && rank >= before)) continue
        if (picked.push(rank) === 2 * pickedMax) cut()
      }
    cut()
    return picked.map(idOfRank)
  }
}

/** What an index names, listed anew for every list, and once in a while for its further pages. */
export class IndexNames {
  readonly #store: Store
  #kept: { readonly below: string; readonly at: number; readonly names: Names } | null = null

  constructor(store: Store) {
    this.#store = store
  }

  async of(prefix: string, shard: string | undefined, isFirstPage: boolean): Promise<Names> {
    const below = shard === undefined ? prefix : `${prefix}/${shard}`
    const kept = this.#kept
    const isFresh = kept?.below === below && performance.now() - kept.at < keptMs
    if (!isFirstPage && kept && isFresh) return kept.names
    const at = performance.now()
    const ids = new Map(shards.map((each) => [each, new Set<string>()]))
    for await (const { key } of this.#store.list(below)) {
      const id = idOfPlace(key.slice(prefix.length + 1))
      if (id !== null) ids.get(id.charAt(0))?.add(id)
    }
    const names = new Names(ids)
    this.#kept = { below, at, names }
    return names
  }
}
