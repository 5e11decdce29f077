import {
  type DocumentMark,
  decodeText,
  EntryIndex,
  encodeText,
  type Index,
  type Mark,
  pooled,
} from '../collection/index.ts'
import { create, type Entry, remove, type Store, update, type Write } from '../store/internal.ts'
import {
  claimOfPlace,
  createdPrefix,
  idemKeyOf,
  idOfPlace,
  isId,
  keyPrefix,
  placeOf,
  statusPlaceOf,
  statusPrefix,
} from './keys.ts'
import type { StoredTask } from './task.ts'

/** All tasks by creation. */
export const byCreation = new EntryIndex<StoredTask>({
  prefix: createdPrefix,
  entries: (_, task) => [[placeOf(task), '']],
  idOf: idOfPlace,
})

/** The tasks of each status by creation. */
export const byStatus = new EntryIndex<StoredTask>({
  prefix: statusPrefix,
  entries: (_, task) => [[`${task.status}/${statusPlaceOf(task)}`, '']],
  idOf: (path) => {
    const [status, ...rest] = path.split('/')
    const place = rest.join('/')
    return status === 'claimed' ? (claimOfPlace(place)?.id ?? null) : idOfPlace(place)
  },
})

/** The idempotency key that a task should have belongs to another one. */
export class KeyTaken extends Error {}

/**
 * Which task an idempotency key belongs to. An entry is the word of whoever created it first, so it is never
 * written over: that is what makes a key unique. It stands before its task does; see `submission.ts`.
 * Calls `onTaken` with each task whose key belongs to another.
 */
export const keyIndex = (onTaken: (id: string) => void = () => {}): Index<StoredTask> => ({
  prefix: keyPrefix,

  *marks(id, { idempotencyKey }) {
    if (idempotencyKey !== null) yield new KeyMark(idemKeyOf(idempotencyKey), id)
  },

  /** A key that has become another task's is not missing. */
  async missing<M extends DocumentMark>(store: Store, marks: readonly M[]): Promise<readonly M[]> {
    const entries = await pooled(marks, ({ mark }) => store.get(mark.name))
    return marks.filter(({ id }, at) => {
      const entry = entries[at] ?? null
      if (entry !== null && idIn(entry) !== id) onTaken(id)
      return entry === null
    })
  },

  async *standing(store) {
    for await (const entry of store.scan(keyPrefix)) {
      const id = idIn(entry)
      if (id !== null) yield { id, mark: new KeyMark(entry.key, id) }
    }
  },
})

export const byKey = keyIndex()

class KeyMark implements Mark {
  readonly name: string
  readonly shared = null
  readonly #id: string

  constructor(key: string, id: string) {
    this.name = key
    this.#id = id
  }

  async put(store: Store, expectAbsent: boolean): Promise<readonly Write[]> {
    const entry = expectAbsent ? null : await store.get(this.name)
    const bytes = encodeText(this.#id)
    if (entry === null) return [create(this.name, bytes)]
    if (idIn(entry) !== this.#id) throw new KeyTaken(`${this.name} belongs to another task`)
    return [update(entry, bytes)]
  }

  async drop(store: Store): Promise<readonly Write[]> {
    const entry = await store.get(this.name)
    return entry && idIn(entry) === this.#id ? [remove(entry)] : []
  }
}

/** The id that the entry of a key holds; null where no task can have it. */
export function idIn(entry: Entry): string | null {
  try {
    const id = decodeText(entry.value)
    return isId(id) ? id : null
  } catch {
    return null
  }
}
