import { create, type Entry, remove, type Store, update, type Write } from '../store/internal.ts'
import { pooled } from './pooled.ts'

/**
 * What an event makes of one document, or of one entry of an index: its next bytes, or null where it goes. It
 * must only overwrite, never count: events are applied in order and through to the last, but the document
 * may contain some of them already. What events may remove should be a hint only: on a store without
 * transactions, whoever dies at the wrong moment may bring it back.
 */
export interface Projection {
  readonly key: string
  next(bytes: Uint8Array | null): Uint8Array | null
}

/** The effect of a run of events on the documents that they touch. */
export class Fold {
  readonly #store: Store
  readonly #steps = new Map<string, Projection['next'][]>()
  readonly #entries = new Map<string, Entry | null>()
  readonly #held = new Set<string>()

  constructor(store: Store) {
    this.#store = store
  }

  add(projections: Iterable<Projection>): void {
    for (const { key, next } of projections) {
      const steps = this.#steps.get(key)
      if (steps) steps.push(next)
      else this.#steps.set(key, [next])
    }
  }

  /** Writes a document even if it does not change, so that the commit loses if another writer changes it first. */
  hold(key: string): void {
    this.#held.add(key)
    if (!this.#steps.has(key)) this.#steps.set(key, [])
  }

  /** A document as it was read. */
  bytesOf(key: string): Uint8Array | null {
    return this.#entries.get(key)?.value ?? null
  }

  /** Reads the documents that are touched and were not read yet. */
  async read(): Promise<void> {
    const keys = [...this.#steps.keys()].filter((key) => !this.#entries.has(key))
    await pooled(keys, async (key) => {
      this.#entries.set(key, await this.#store.get(key))
    })
  }

  /** What has to be written for the documents to contain all of the events. */
  writes(): Write[] {
    return [...this.#steps].flatMap(([key, steps]) => {
      const entry = this.#entries.get(key) ?? null
      const before = entry?.value ?? null
      const after = steps.reduce((bytes, next) => next(bytes), before)
      if (after === null) return entry ? [remove(entry)] : []
      if (entry === null) return [create(key, after)]
      const isSame = Buffer.compare(entry.value, after) === 0 && !this.#held.has(key)
      return isSame ? [] : [update(entry, after)]
    })
  }
}
