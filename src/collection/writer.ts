import { compete, type Head, lost, remove, type Store, type Write } from '../store/internal.ts'
import { Change } from './change.ts'
import { afterPart, commitInOrder, fitsOneCommit, isUnknownOutcome } from './commit.ts'
import { type Definition, keyOf, uncheckedKeyOf } from './definition.ts'
import { corruptOf, documentOf } from './document.ts'
import type { Held } from './held.ts'
import { KeyLocks } from './key-locks.ts'
import type { Mark } from './mark.ts'
import { isTooSlow, Mender } from './mender.ts'
import { pooled } from './pooled.ts'

/** What a document is to become: null to remove it, undefined where there is nothing to be done. */
type Next<T> = (value: T | null) => T | null | undefined

/** The same, where it may first have to ask somebody, such as for the time. */
type NextLater<T> = (value: T | null) => ReturnType<Next<T>> | Promise<ReturnType<Next<T>>>

/** How to swap. */
export interface SwapOptions {
  /**
   * Never retries a write whose answer was lost: others may have changed or deleted the document since. The caller gets
   * `unknown_outcome` instead. For changes that could overwrite the work of others.
   */
  readonly isExact?: boolean
}

/** The states before and after. They are the same where nothing was to change. */
export interface Outcome<T> {
  readonly before: T | null
  readonly after: T | null
  /** The document as it now is; null where there is none, or where its revision is not known. */
  readonly held: Held<T> | null
}

/** How much of many creations goes into one commit. */
const batchBytesMax = 4_000_000

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
 * It takes that ids are not used again: of an absent document there is no state to swap. Who creates an id
 * while it is being deleted may, on a store without transactions, be left without a mark.
 */
export class Writer<T> {
  readonly mender: Mender<T>
  readonly #store: Store
  readonly #definition: Definition<T>
  readonly #locks = new KeyLocks()

  constructor(store: Store, definition: Definition<T>) {
    this.mender = new Mender(store, definition)
    this.#store = store
    this.#definition = definition
  }

  /**
   * Swaps the document for what `next` makes of it, as often as it takes to win. Where an answer was lost,
   * `next` may be applied to its own result, and should then leave it as it is.
   */
  swap(id: string, next: NextLater<T>, options?: SwapOptions): Promise<Outcome<T>> {
    return this.#swap(id, next, newTries(options))
  }

  /** The same, but the first attempt begins with what is held (null: nothing is there) instead of a look. */
  swapHeld(id: string, held: Held<T> | null, next: Next<T>): Promise<Outcome<T>> {
    const change = this.#heldChange(id, held, next)
    if (change === null) return this.#swap(id, next, newTries())
    const writes = change.atOnce(this.#store)
    return writes ? this.#swapAtOnce(change, writes, next) : this.#swapInOrder(change, next)
  }

  /** One commit, and no look before or after it. Not an async function: it is the hottest path of all. */
  #swapAtOnce(change: Change<T>, writes: readonly Write[], next: Next<T>): Promise<Outcome<T>> {
    return this.#store.commit(writes).then(
      (result) => {
        if (!result.ok) return this.#swap(change.id, next, newTries())
        change.noteAll(writes, result.revisions)
        return change
      },
      (error) => {
        if (!isUnknownOutcome(error)) throw error
        return this.#swap(change.id, next, { ...newTries(), error, inDoubt: change })
      },
    )
  }

  async #swapInOrder(change: Change<T>, next: Next<T>): Promise<Outcome<T>> {
    const tries: Tries<T> = newTries()
    return (await this.#apply(change, tries, 1)) ? change : this.#swap(change.id, next, tries)
  }

  /** Null where only a look can tell what there is to change. */
  #heldChange(id: string, held: Held<T> | null, next: Next<T>): Change<T> | null {
    const before = held === null ? null : held.value
    let after: T | null | undefined
    try {
      after = next(before)
    } catch {
      // What is held may be out of date: it can't be the reason to refuse.
      return null
    }
    if (after === undefined || after === before) return null
    const entry = held && { key: uncheckedKeyOf(this.#definition, id), revision: held.revision }
    const states = { id, entry, before, after, marks: held === null ? noHeads : held.marks }
    const change = new Change(this.#definition, states, noLeftover)
    // Lists that others share are changed in turns.
    return change.hasShared ? null : change
  }

  async #swap(id: string, next: NextLater<T>, tries: Tries<T>): Promise<Outcome<T>> {
    const key = keyOf(this.#definition, id)
    const attempt = (nth: number) => this.#attempt(id, next, tries, nth)
    try {
      return await this.#locks.run([key], () =>
        compete(`the ${this.#definition.noun} ${id}`, attempt),
      )
    } catch (error) {
      // Once an answer was lost, no later failure may be taken for "nothing happened".
      throw tries.error ?? error
    }
  }

  /** Many creations as few commits; null where the store can't hold a document and its marks in one. */
  creations(
    documents: readonly (readonly [id: string, value: T])[],
  ): { items: (readonly [id: string, value: T])[]; writes: Write[] }[] | null {
    const batches: { items: (readonly [id: string, value: T])[]; writes: Write[] }[] = []
    let bytes = 0
    for (const item of documents) {
      const [id, after] = item
      const states = { id, entry: null, before: null, after, marks: [] }
      const change = new Change(this.#definition, states, noLeftover)
      const puts = change.mayFitOneCommit(this.#store) ? change.freshPuts() : null
      if (puts === null) return null
      const batch = batches.at(-1)
      bytes += change.bytes
      const count = (batch?.writes.length ?? 0) + puts.length + 1
      if (batch && count <= this.#store.limits.commitWritesMax && bytes <= batchBytesMax) {
        batch.items.push(item)
        batch.writes.push(...puts, change.write)
      } else {
        batches.push({ items: [item], writes: [...puts, change.write] })
        bytes = change.bytes
      }
    }
    return batches
  }

  /** Removes what lies under the id, a document or not; says whether there was anything. */
  discard(id: string): Promise<boolean> {
    const key = keyOf(this.#definition, id)
    let wasThere = false
    return compete(key, async () => {
      const entry = await this.#store.get(key)
      if (entry === null) return wasThere
      wasThere = true
      return (await commitInOrder(this.#store, [remove(entry)])) ? true : lost
    })
  }

  async #attempt(id: string, next: NextLater<T>, tries: Tries<T>, nth: number) {
    const entry = await this.#store.get(keyOf(this.#definition, id)).catch((error: unknown) => {
      throw corruptOf(this.#definition, id, error)
    })
    if (tries.inDoubt?.isDoneIn(entry)) return this.#recognised(tries.inDoubt, entry, tries)
    if (tries.isExact && tries.inDoubt?.mayBeOver(entry)) throw tries.error
    const before = entry && documentOf(this.#definition, id, entry).value
    if (tries.inDoubt && (await this.#recalls(before, tries.inDoubt)))
      return this.#recognised(tries.inDoubt, null, tries)
    const after = await this.#decided(id, tries, () => next(before))
    // Nothing to do, and nobody knows whether that is because it was done.
    if (after === undefined && tries.error !== null) throw tries.error
    if (after === undefined || after === before) {
      await this.#sweepAll(id, tries.leftover.values())
      if (before !== null) await this.mender.mendOdd(id, before, tries.leftover)
      return { before, after: before, held: heldIn(id, before, entry) }
    }
    const states = { id, entry, before, after, marks: [] }
    const change = new Change(this.#definition, states, tries.leftover)
    const isWon = await this.#locks.run(change.sharedKeys, () => this.#apply(change, tries, nth))
    return isWon ? change : lost
  }

  /** What the change is to be; where it is refused, marks of attempts that lost go. */
  async #decided<R>(id: string, { leftover }: Tries<T>, decide: () => R | Promise<R>): Promise<R> {
    try {
      return await decide()
    } catch (error) {
      await this.#sweepAll(id, leftover.values())
      throw error
    }
  }

  async #apply(change: Change<T>, tries: Tries<T>, nth: number): Promise<boolean> {
    const drops =
      change.knownDrops()?.map((write) => [write]) ??
      (await pooled(change.drops, (mark) => mark.drop(this.#store)))
    if (change.mayFitOneCommit(this.#store)) {
      const fresh = nth === 1 ? change.freshPuts() : null
      const puts =
        fresh ?? (await pooled(change.puts, (mark) => mark.put(this.#store, nth === 1))).flat()
      const writes = [...puts, change.write, ...drops.flat()]
      if (fitsOneCommit(this.#store, keysOf(writes))) return this.#commit(change, writes, tries)
    }
    for (const mark of change.puts) tries.leftover.set(mark.name, mark)
    const startedAt = await this.mender.putAll(change)
    if (!(await this.#commit(change, [change.write], tries))) return false
    if (change.entry === null && isTooSlow(startedAt))
      await afterPart(`The ${this.#definition.noun} ${change.id} was created`, () =>
        pooled(change.puts, (mark) => this.mender.put(mark)),
      )
    await this.#settle(change, drops)
    return true
  }

  async #commit(change: Change<T>, writes: readonly Write[], tries: Tries<T>): Promise<boolean> {
    try {
      const result = await this.#store.commit(writes)
      if (result.ok) change.noteAll(writes, result.revisions)
      return result.ok
    } catch (error) {
      if (!isUnknownOutcome(error) || tries.error !== null) throw error
      tries.error = error
      tries.inDoubt = change
      return false
    }
  }

  /** Whether others have changed since what a change had made: else it would be made twice. */
  async #recalls(now: T | null, { before, after }: Change<T>): Promise<boolean> {
    if (now === null || before === null || after === null) return false
    return (await this.#definition.recalls?.(now, { before, after }, this.#store)) ?? false
  }

  /** A change whose answer was lost has happened after all; `entry` where it is still what that has left. */
  async #recognised(
    change: Change<T>,
    entry: Head | null,
    { leftover }: Tries<T>,
  ): Promise<Outcome<T>> {
    // Who knows how long ago its marks were put.
    if (change.entry === null) await pooled(change.puts, (mark) => this.mender.put(mark))
    await this.#sweepAll(change.id, [...change.drops, ...leftover.values()])
    if (entry) change.note(entry)
    return change
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
    await pooled([...marks], (mark) => this.mender.sweep(id, mark).catch(() => false))
  }
}

const keysOf = (writes: readonly Write[]): string[] => writes.map(({ key }) => key)

const heldIn = <T>(id: string, value: T | null, entry: Head | null): Held<T> | null =>
  value === null || entry === null ? null : { id, value, revision: entry.revision, marks: [] }

const noLeftover: ReadonlyMap<string, Mark> = new Map()
const noHeads: readonly Head[] = []

const newTries = <T>({ isExact = false }: SwapOptions = {}): Tries<T> => ({
  isExact,
  inDoubt: null,
  error: null,
  leftover: new Map(),
})

/** What the attempts at one swap know of those before. */
interface Tries<T> extends Required<SwapOptions> {
  /** A change whose answer was lost, and how. */
  inDoubt: Change<T> | null
  error: unknown
  /** Marks that were put. */
  readonly leftover: Map<string, Mark>
}
