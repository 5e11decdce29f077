import {
  compete,
  type Entry,
  lost,
  remove,
  type Store,
  update,
  type Write,
} from '../store/index.ts'
import { Change } from './change.ts'
import { commitInOrder, fitsOneCommit, isUnknownOutcome } from './commit.ts'
import { type Definition, keyOf } from './definition.ts'
import { CorruptDocumentError, documentOf } from './document.ts'
import { type Mark, marksOf } from './mark.ts'
import { pooled } from './pooled.ts'
import { Turns } from './turns.ts'

/** What a document is to become: null to remove it, undefined or itself to leave it as it is. */
export type Next<T> = (value: T | null) => T | null | undefined

/** The states before and after. They are the same where nothing was to change. */
export interface Outcome<T> {
  readonly before: T | null
  readonly after: T | null
}

/**
 * A creation that takes longer than this puts its marks again at the end: `repair` may by then have taken
 * them for leftovers. It waits for twice as long before it does.
 */
const creationMsMax = 5_000
export const orphanGraceMs = 2 * creationMsMax

/**
 * Swaps documents, and settles what the indexes say about them. The swap of the document is the commit point.
 *
 * Where the store has room for it, document and marks are one commit. Elsewhere new marks are put first, then
 * the document is swapped, then stale marks are taken away: at every moment, and after a crash at any, there
 * may be a mark too many but never one too few. Two rules make that hold against other writers:
 *
 * - Marks are put after the document was read, in every attempt anew, also where they stand already.
 * - A mark is taken away only in a state that was seen before a swap of the document which left it stale.
 *
 * So whoever swaps the document later and wants the mark has put it after it was seen, and its removal loses.
 */
export class Writer<T> {
  readonly #store: Store
  readonly #definition: Definition<T>
  readonly #turns = new Turns()

  constructor(store: Store, definition: Definition<T>) {
    this.#store = store
    this.#definition = definition
  }

  /**
   * Swaps the document for what `next` makes of it, as often as it takes to win. Where an answer was lost,
   * `next` may be applied to its own result, and should then leave it as it is.
   */
  swap(id: string, next: Next<T>): Promise<Outcome<T>> {
    const key = keyOf(this.#definition, id)
    const doubt: Doubt<T> = { change: null, error: null }
    const leftover = new Map<string, Mark>()
    const attempt = async (nth: number) => {
      const entry = await this.#inDoubt(doubt, this.#store.get(key))
      if (doubt.change?.isDoneIn(entry)) return this.#recognised(doubt.change)
      const before = entry && documentOf(this.#definition, id, entry).value
      const after = await this.#decided(id, leftover, () => next(before))
      if (after === undefined || after === before) {
        await this.#sweepAll(id, leftover.values())
        return { before, after: before }
      }
      const change = new Change(this.#definition, { id, entry, before, after }, leftover)
      const isWon = await this.#turns.run(change.sharedKeys, () =>
        this.#apply(change, { doubt, leftover, expectAbsent: nth === 1 }),
      )
      return isWon ? change : lost
    }
    const about = `the ${this.#definition.noun} ${id}`
    return this.#turns.run([key], () => compete(about, attempt))
  }

  /** Removes what lies under the id, a document or not; says whether there was anything. */
  discard(id: string): Promise<boolean> {
    const key = keyOf(this.#definition, id)
    return compete(key, async () => {
      const entry = await this.#store.get(key)
      if (entry === null) return false
      return (await commitInOrder(this.#store, [remove(entry)])) ? true : lost
    })
  }

  /** Makes a mark stand. */
  put(mark: Mark): Promise<void> {
    return compete(mark.name, async (nth) => {
      const writes = await mark.put(this.#store, nth === 1)
      return (await commitInOrder(this.#store, writes)) ? undefined : lost
    })
  }

  /**
   * Takes away a mark that the document does not imply; says whether there was one. The document is swapped
   * for itself, so that whoever puts the mark for a change that is under way must begin anew.
   */
  sweep(id: string, mark: Mark): Promise<boolean> {
    const key = keyOf(this.#definition, id)
    return compete(mark.name, async () => {
      const drops = await mark.drop(this.#store)
      const entry = await this.#store.get(key)
      if (drops.length === 0 || (entry && this.implies(id, entry, mark))) return false
      const writes = entry ? [update(entry, entry.value), ...drops] : drops
      return (await commitInOrder(this.#store, writes)) ? true : lost
    })
  }

  /** Whether a stored document implies a mark. Nobody knows of a corrupt one, so it keeps all it has. */
  implies(id: string, entry: Entry, mark: Mark): boolean {
    try {
      const { value } = documentOf(this.#definition, id, entry)
      return marksOf(this.#definition.indexes, id, value).get(mark.name)?.value === mark.value
    } catch (error) {
      if (error instanceof CorruptDocumentError) return true
      throw error
    }
  }

  async #apply(change: Change<T>, attempt: Attempt<T>): Promise<boolean> {
    const { doubt, leftover, expectAbsent } = attempt
    const drops = await pooled(change.drops, (mark) => mark.drop(this.#store))
    if (change.mayFitOneCommit(this.#store)) {
      const puts = await pooled(change.puts, (mark) => mark.put(this.#store, expectAbsent))
      const writes = [...puts.flat(), change.write, ...drops.flat()]
      if (fitsOneCommit(this.#store, writes)) return this.#commit(change, writes, doubt)
    }
    const startedAt = performance.now()
    for (const mark of change.puts) leftover.set(mark.name, mark)
    await pooled(change.puts, (mark) => this.put(mark))
    if (!(await this.#commit(change, [change.write], doubt))) return false
    const isSlow = change.entry === null && performance.now() - startedAt > creationMsMax
    if (isSlow) await pooled(change.puts, (mark) => this.put(mark))
    await this.#settle(change, drops)
    return true
  }

  /** What the change is to be; where it is refused, marks of attempts that lost go. */
  async #decided<R>(id: string, leftover: ReadonlyMap<string, Mark>, decide: () => R): Promise<R> {
    try {
      return decide()
    } catch (error) {
      await this.#sweepAll(id, leftover.values())
      throw error
    }
  }

  /** The document is swapped; now stale marks go, as they were seen before. */
  async #settle(change: Change<T>, drops: readonly (readonly Write[])[]): Promise<void> {
    const isGone = await pooled(drops, (writes) =>
      commitInOrder(this.#store, writes).catch(() => false),
    )
    await this.#sweepAll(
      change.id,
      change.drops.filter((_, at) => !isGone[at]),
    )
  }

  /** Takes away what is stale of these. What is left over does no harm, so a failure is none. */
  async #sweepAll(id: string, marks: Iterable<Mark>): Promise<void> {
    // Readers look at the document and pass a stale mark over; the next repair takes it away.
    await pooled([...marks], (mark) => this.sweep(id, mark).catch(() => false))
  }

  async #commit(change: Change<T>, writes: readonly Write[], doubt: Doubt<T>): Promise<boolean> {
    try {
      return (await this.#inDoubt(doubt, this.#store.commit(writes))).ok
    } catch (error) {
      if (!isUnknownOutcome(error) || doubt.error !== null) throw error
      doubt.error = error
      doubt.change = change
      return false
    }
  }

  /** A change whose answer was lost has happened after all. */
  async #recognised(change: Change<T>): Promise<Outcome<T>> {
    await this.#settle(change, [])
    return change
  }

  /** Once an answer was lost, a later failure must not be taken for "nothing happened". */
  async #inDoubt<R>(doubt: Doubt<T>, step: Promise<R>): Promise<R> {
    try {
      return await step
    } catch (error) {
      throw doubt.error ?? error
    }
  }
}

/** What the attempts of one swap know of those before. */
interface Attempt<T> {
  readonly doubt: Doubt<T>
  /** Marks that earlier attempts put. */
  readonly leftover: Map<string, Mark>
  readonly expectAbsent: boolean
}

/** A swap whose answer was lost. */
interface Doubt<T> {
  change: Change<T> | null
  error: unknown
}
