import {
  compete,
  type Entry,
  type Head,
  lost,
  remove,
  type Store,
  sleep,
  update,
  type Write,
} from '../store/internal.ts'
import type { Change } from './change.ts'
import { commitInOrder, commitOne } from './commit.ts'
import { type Definition, keyOf } from './definition.ts'
import { CorruptDocumentError, documentOf } from './document.ts'
import { type DocumentMark, type Mark, marksOf } from './mark.ts'
import { pooled } from './pooled.ts'

/**
 * A creation that takes longer than this puts its marks again: `repair` may by then have taken them for leftovers.
 * It waits for twice as long before it does.
 */
export const creationMsMax = 5_000
export const orphanGraceMs = 2 * creationMsMax

export const isTooSlow = (startedAt: number): boolean =>
  performance.now() - startedAt > creationMsMax

/** How often the marks of a creation are put before its document, on a store that is slow each time. */
const passesMax = 3

/**
 * Puts marks, and takes away stale ones, beside others who change the documents. Where that depends on what a
 * document says, the document is swapped for itself first: whoever is about to change it must begin anew.
 */
export class Mender<T> {
  readonly #store: Store
  readonly #definition: Definition<T>

  constructor(store: Store, definition: Definition<T>) {
    this.#store = store
    this.#definition = definition
  }

  /** Makes a mark stand, whatever the document says; answers with its state, where that is one key's. */
  put(mark: Mark): Promise<Head | null> {
    return compete(mark.name, async (nth) => {
      const writes = await mark.put(this.#store, nth === 1)
      const [only] = writes
      if (only && writes.length === 1) return (await commitOne(this.#store, only)) ?? lost
      return (await commitInOrder(this.#store, writes)) ? null : lost
    })
  }

  /**
   * Puts the marks of a change, and answers when it began to. Before a creation it starts over if that was too slow:
   * as long as the document is not there, a failure still means that nothing happened.
   */
  async putAll(change: Change<T>): Promise<number> {
    const startedAt = performance.now()
    for (let pass = 1; ; pass++) {
      const passAt = performance.now()
      const heads = await pooled(change.puts, (mark) => this.put(mark))
      for (const head of heads) if (head) change.note(head)
      // A list of ids does not tell that an id was put again: for those who sweep it, the first time counts.
      if (change.entry !== null || pass === passesMax || !isTooSlow(passAt)) return startedAt
    }
  }

  /** Makes a mark stand if the document implies it, unless another holds its place by right; says whether. */
  async mend(id: string, mark: Mark): Promise<boolean> {
    const holder = (await mark.holder?.(this.#store)) ?? null
    const other = holder === null ? null : await this.#store.get(keyOf(this.#definition, holder))
    if (holder !== null && holder !== id && this.implies(holder, other, mark)) return false
    return this.#fenced(
      id,
      mark,
      () => mark.put(this.#store, false),
      (implied) => implied,
    )
  }

  /** Of marks that were put for another document than the one that is there: puts right what those say otherwise. */
  async mendOdd(id: string, value: T, put: ReadonlyMap<string, Mark>): Promise<void> {
    const odd = marksOf(this.#definition.indexes, id, value).filter((mark) => {
      const other = put.get(mark.name)
      return other !== undefined && other.value !== mark.value
    })
    // The next repair does what fails here.
    await pooled(odd, (mark) => this.mend(id, mark).catch(() => false))
  }

  /** Takes a mark away if the document does not imply it; says whether there was one to take. */
  async sweep(id: string, mark: Mark): Promise<boolean> {
    let isSwept = false
    const drop = () => mark.drop(this.#store)
    // A list that was being split may hold it twice.
    while (await this.#fenced(id, mark, drop, (implied) => !implied)) isSwept = true
    return isSwept
  }

  /**
   * Takes a mark without a document away in the state in which it was seen: one that was put again since then belongs to a
   * document that is just being created.
   */
  async sweepSeen(id: string, seen: Head): Promise<boolean> {
    if ((await this.#store.get(keyOf(this.#definition, id))) !== null) return false
    return commitInOrder(this.#store, [remove(seen)])
  }

  /**
   * Waits, then removes the marks that have no document and were not put again meanwhile; says how many. A creation that
   * takes long puts its marks again.
   */
  async sweepOrphans(orphans: readonly DocumentMark[], waitMs: number): Promise<number> {
    if (orphans.length === 0) return 0
    const planned = await pooled(orphans, ({ mark }) => mark.drop(this.#store))
    if (waitMs > 0) await sleep(waitMs)
    const isSwept = await pooled(orphans, (orphan, at) => this.#sweepOrphan(orphan, planned[at]))
    return isSwept.filter(Boolean).length
  }

  async #sweepOrphan({ id, mark }: DocumentMark, planned: readonly Write[] = []): Promise<boolean> {
    // A list changes with the marks of others, and does not tell when one was put.
    if (mark.shared !== null || (await this.#store.get(keyOf(this.#definition, id))) !== null)
      return this.sweep(id, mark)
    return planned.length > 0 && commitInOrder(this.#store, planned)
  }

  /** Whether a stored document implies a mark. Nobody knows of a corrupt one, so it keeps all it has. */
  implies(id: string, entry: Entry | null, mark: Mark): boolean {
    if (entry === null) return false
    try {
      const { value } = documentOf(this.#definition, id, entry)
      return marksOf(this.#definition.indexes, id, value).some(({ name }) => name === mark.name)
    } catch (error) {
      if (error instanceof CorruptDocumentError) return true
      throw error
    }
  }

  /** The writes are planned before the document is read, so they lose against whoever read it later. */
  #fenced(
    id: string,
    mark: Mark,
    plan: () => Promise<readonly Write[]>,
    isDue: (implied: boolean) => boolean,
  ): Promise<boolean> {
    const key = keyOf(this.#definition, id)
    return compete(mark.name, async () => {
      const planned = await plan()
      if (planned.length === 0) return false
      const entry = await this.#store.get(key)
      if (!isDue(this.implies(id, entry, mark))) return false
      const writes = entry ? [update(entry, entry.value), ...planned] : planned
      return (await commitInOrder(this.#store, writes)) ? true : lost
    })
  }
}
