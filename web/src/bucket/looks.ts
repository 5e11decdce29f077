import { taskDefinition } from '../../../src/queue/document.ts'
import { shards } from '../../../src/queue/fields.ts'
import { taskPath, tasksPrefix } from '../../../src/queue/keys.ts'
import type { Task } from '../../../src/queue/task.ts'
import { LongList } from '../../../src/store/drivers/s3/listing.ts'
import { UnreadableValueError } from '../../../src/store/error.ts'
import type { Entry, Store } from '../../../src/store/store.ts'
import { Tally } from './tally.ts'

/** Views that look at the same moment share one look. */
const freshMs = 2_000
const keptMax = 20_000
const atOnce = 16

/** What a list tells, and whether there is more. */
interface Listed {
  readonly revisions: ReadonlyMap<string, string>
  readonly isCut: boolean
}

/**
 * Looks at a bucket for all views of the page: each folder is listed once for those who ask at the same moment, and each object
 * read once for each of its states.
 */
export class Looks {
  readonly #store: Store
  readonly #lists = new Map<string, { readonly atMs: number; readonly listed: Promise<Listed> }>()
  readonly #kept = new Map<string, Entry>()
  readonly #reading = new Map<string, Promise<Entry | null>>()
  readonly tally = new Tally()

  constructor(store: Store) {
    this.#store = store
  }

  /** How old the oldest list of tasks is. */
  get ageMs(): number {
    const times = shards.flatMap((shard) => this.#lists.get(`${tasksPrefix}/${shard}`)?.atMs ?? [])
    return Date.now() - Math.min(Date.now(), ...times)
  }

  /** After a change of our own. */
  forget(): void {
    this.#lists.clear()
  }

  /** Views share it, so that it is not given up by one of them. */
  list(prefix: string): Promise<Listed> {
    const known = this.#lists.get(prefix)
    if (known && Date.now() - known.atMs < freshMs) return known.listed
    const listed = this.#listed(prefix)
    this.#lists.set(prefix, { atMs: Date.now(), listed })
    listed.catch(() => this.#lists.delete(prefix))
    return listed
  }

  /** All tasks with their states, and the shards that hold more than was listed. */
  async tasks(): Promise<{ revisions: ReadonlyMap<string, string>; cutShards: string[] }> {
    const lists = await Promise.all(shards.map((shard) => this.list(`${tasksPrefix}/${shard}`)))
    const revisions = new Map<string, string>()
    for (const list of lists)
      for (const [key, revision] of list.revisions) {
        const id = taskIdOf(key)
        if (id !== null) revisions.set(id, revision)
      }
    return { revisions, cutShards: shards.filter((_, at) => lists[at]?.isCut) }
  }

  /** An object that was read in this state, if it was. */
  kept(key: string, revision: string): Entry | null {
    const entry = this.#kept.get(key)
    return entry?.revision === revision ? entry : null
  }

  /** Reads an object that was listed in this state. */
  read(key: string, listed: string): Promise<Entry | null> {
    const reading = this.#reading.get(key) ?? this.#read(key, listed)
    this.#reading.set(key, reading)
    return reading
  }

  async #read(key: string, listed: string): Promise<Entry | null> {
    const id = taskIdOf(key)
    try {
      const entry = await this.#store.get(key)
      if (entry === null) return null
      if (this.#kept.size >= keptMax) this.#kept.clear()
      this.#kept.set(key, entry)
      if (id !== null) this.tally.note(id, entry.revision, taskIn(entry, id))
      return entry
    } catch (error) {
      if (id !== null && error instanceof UnreadableValueError) this.tally.note(id, listed, null)
      throw error
    } finally {
      this.#reading.delete(key)
    }
  }

  async #listed(prefix: string): Promise<Listed> {
    const revisions = new Map<string, string>()
    try {
      for await (const { key, revision } of this.#store.list(prefix)) revisions.set(key, revision)
    } catch (error) {
      if (!(error instanceof LongList)) throw error
      return { revisions, isCut: true }
    }
    return { revisions, isCut: false }
  }
}

function taskIn({ value }: Entry, id: string): Task | null {
  try {
    return taskDefinition.codec.decode(value, id).task
  } catch {
    return null
  }
}

export const taskIdOf = (key: string): string | null =>
  key.startsWith(`${tasksPrefix}/`) ? taskPath.idOf(key.slice(tasksPrefix.length + 1)) : null

/** Does something for each, several at a time. */
export async function eachOf<T, R>(
  items: readonly T[],
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++
      results[at] = await run(items[at] as T)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work))
  return results
}
