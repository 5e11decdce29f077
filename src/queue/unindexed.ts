import type { Document } from '../collection/index.ts'
import type { Store } from '../store/internal.ts'
import type { Stored } from './document.ts'
import type { Names } from './index-names.ts'
import { taskKeyOf, taskPath, tasksPrefix } from './keys.ts'
import type { TaskStatus } from './task.ts'

/** How many shards are listed together. */
const shardsAtOnce = 4
const knownMax = 20_000

/** A step through the tasks that an index does not name. */
interface Step {
  /** Those that are not known to be in another status, in order. */
  readonly ids: readonly string[]
  /** The last id that was looked at; null where there is none after it. */
  readonly last: string | null
}

/**
 * Finds tasks that their index does not name: other tools may write them without an entry, and a change may move an
 * entry while the index is listed. A step lists a bounded number of keys. A task that was read once is not read again
 * until it changes.
 */
export class Unindexed {
  readonly #store: Store
  readonly #known = new Map<string, { revision: string; status: TaskStatus }>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Looks at so many tasks of these shards that come after an id, which is null at the start. */
  async step(
    { status, shards, names }: { status: TaskStatus; shards: readonly string[]; names: Names },
    after: string | null,
    max: number,
  ): Promise<Step> {
    const found: { id: string; revision: string }[] = []
    const left = shards.filter((shard) => after === null || shard >= after.charAt(0))
    for (let at = 0; at < left.length && found.length <= max; at += shardsAtOnce) {
      const group = left.slice(at, at + shardsAtOnce)
      const listed = await Promise.all(group.map((shard) => this.#listed(shard, names, after, max)))
      found.push(...listed.flat())
    }
    const seen = found.slice(0, max)
    const isNew = ({ id, revision }: { id: string; revision: string }): boolean => {
      const known = this.#known.get(id)
      return known?.revision !== revision || known.status === status
    }
    const last = found.length > max ? (seen.at(-1)?.id ?? after) : null
    return { ids: seen.filter(isNew).map(({ id }) => id), last }
  }

  note(documents: readonly Document<Stored>[]): void {
    for (const { id, revision, value } of documents) {
      this.#known.delete(id)
      this.#known.set(id, { revision, status: value.task.status })
      if (this.#known.size <= knownMax) continue
      const [oldest] = this.#known.keys()
      this.#known.delete(oldest as string)
    }
  }

  async #listed(shard: string, names: Names, after: string | null, max: number) {
    const found: { id: string; revision: string }[] = []
    const bounds = { after: after?.startsWith(shard) ? taskKeyOf(after) : undefined }
    for await (const { key, revision } of this.#store.list(`${tasksPrefix}/${shard}`, bounds)) {
      const id = taskPath.idOf(key.slice(tasksPrefix.length + 1))
      if (id === null || names.has(id)) continue
      // One more than wanted tells that there are more.
      if (found.push({ id, revision }) > max) break
    }
    return found
  }
}
