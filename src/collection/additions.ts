import type { Store, Write } from '../store/internal.ts'
import { isUnknownOutcome, partlyDone } from './commit.ts'
import { type Definition, keyOf } from './definition.ts'
import { CorruptDocumentError, documentOf } from './document.ts'
import { pooled } from './pooled.ts'
import type { Writer } from './writer.ts'

/** Whether an existing document is the one to be created, even if others have changed it since. */
export type IsSame<T> = (there: T, value: T) => boolean

type Item<T> = readonly [id: string, value: T]

/**
 * Creates documents under ids that are most likely free, without looking first. Where an answer was lost, what is there
 * says whether it was created here, for others may have changed it before we look.
 */
export class Additions<T> {
  readonly #store: Store
  readonly #definition: Definition<T>
  readonly #writer: Writer<T>

  constructor(store: Store, definition: Definition<T>, writer: Writer<T>) {
    this.#store = store
    this.#definition = definition
    this.#writer = writer
  }

  /** Returns false if the id is taken. Not async, because this is a hot path. */
  one(id: string, value: T, isSame: IsSame<T>): Promise<boolean> {
    return this.#writer
      .swapHeld(id, null, (there) => (there === null ? value : undefined))
      .then(
        ({ before }) => before === null,
        (error) => {
          if (error instanceof CorruptDocumentError) return false
          if (!isUnknownOutcome(error)) throw error
          return this.#isThere([id, value], isSame).then((isOurs) => {
            if (isOurs === null) throw error
            return isOurs
          })
        },
      )
  }

  /** Where a part of them is stored, a failure says so. */
  async many(items: readonly Item<T>[], isSame: IsSame<T>): Promise<boolean[]> {
    const added = new Array<boolean>(items.length).fill(false)
    const doubts: unknown[] = []
    try {
      await this.#many(items, isSame, { added, doubts })
      return added
    } catch (failure) {
      // Once an answer was lost, no later failure may be taken for "nothing happened".
      const error = doubts[0] ?? failure
      const count = added.filter(Boolean).length
      throw partlyDone(
        `${count} of ${items.length} ${this.#definition.noun}s were stored`,
        count,
        error,
      )
    }
  }

  async #many(
    items: readonly Item<T>[],
    isSame: IsSame<T>,
    { added, doubts }: { added: boolean[]; doubts: unknown[] },
  ): Promise<void> {
    const add = async (item: Item<T>, at: number) => {
      added[at] = await this.one(...item, isSame)
    }
    const batches = this.#writer.creations(items)
    if (batches === null) {
      await pooled(items, add)
      return
    }
    let from = 0
    for (const batch of batches) {
      const isWon = await this.#commit(batch.writes, doubts)
      for (const [nth, item] of batch.items.entries())
        if (isWon) added[from + nth] = true
        else {
          await add(item, from + nth)
          if (doubts.length > 0 && !added[from + nth])
            added[from + nth] = await this.#isOurs(item, isSame, doubts)
        }
      from += batch.items.length
    }
  }

  /** Judges the existing document after a lost answer. */
  async #isOurs(item: Item<T>, isSame: IsSame<T>, [doubt]: unknown[]): Promise<boolean> {
    const isOurs = await this.#isThere(item, isSame)
    if (isOurs === null) throw doubt
    return isOurs
  }

  async #commit(writes: readonly Write[], doubts: unknown[]): Promise<boolean> {
    try {
      return (await this.#store.commit(writes)).ok
    } catch (error) {
      if (!isUnknownOutcome(error)) throw error
      doubts.push(error)
      return false
    }
  }

  /** Null where nothing is there, or nobody can tell. */
  async #isThere([id, value]: Item<T>, isSame: IsSame<T>): Promise<boolean | null> {
    try {
      const entry = await this.#store.get(keyOf(this.#definition, id))
      return entry && isSame(documentOf(this.#definition, id, entry).value, value)
    } catch {
      return null
    }
  }
}
