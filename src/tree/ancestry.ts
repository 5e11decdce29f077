import { CorruptDocumentError, inTurns, pooled } from '../collection/index.ts'
import { eventLoopTurn } from '../store/internal.ts'
import type { Tasks } from './documents.ts'
import { type Place, Places, unreadable } from './places.ts'
import { type Task, type TaskDocument, taskOf } from './task.ts'

/**
 * Reads chains of parents, each task once: what it answers belongs to the moment in which it was made.
 *
 * The chain is the truth about where a task is, and whether it is there at all: it is gone when it or any
 * ancestor is doomed, or an ancestor is missing.
 */
export class Ancestry {
  readonly #tasks: Tasks
  readonly #read = new Map<string, TaskDocument | typeof unreadable | null>()
  readonly #places = new Places((id) => this.#read.get(id))

  constructor(tasks: Tasks) {
    this.#tasks = tasks
  }

  /** The places of these tasks, in their order. */
  async placesOf(documents: readonly TaskDocument[]): Promise<Place[]> {
    await inTurns(documents, (document) => this.#know(document.id, document))
    await this.#readAbove(documents)
    const places: Place[] = []
    for (const { id } of documents) {
      const turn = eventLoopTurn()
      if (turn) await turn
      places.push(await this.#places.of(id))
    }
    return places
  }

  async placeOf(document: TaskDocument): Promise<Place> {
    const [place] = await this.placesOf([document])
    return place as Place
  }

  /** The task as users see it; null where it is gone. */
  async taskOf(document: TaskDocument): Promise<Task | null> {
    const { isThere, depth } = await this.placeOf(document)
    return isThere ? taskOf(document, depth) : null
  }

  /** The parent of a task whose place was asked for; null where it has none, or none that can be read. */
  parentOf({ parent_id }: TaskDocument): TaskDocument | null {
    const parent = parent_id === null ? null : this.#read.get(parent_id)
    return parent === undefined || parent === unreadable ? null : parent
  }

  /** Level by level, so that many chains are read at the same time. */
  async #readAbove(documents: readonly TaskDocument[]): Promise<void> {
    let level: readonly TaskDocument[] = documents
    while (level.length > 0) {
      const ids = new Set<string>()
      await inTurns(level, ({ parent_id }) => {
        if (parent_id !== null && !this.#read.has(parent_id)) ids.add(parent_id)
      })
      const found = await pooled([...ids], async (id) => this.#know(id, await this.#document(id)))
      level = found.filter((each) => each !== null && each !== unreadable)
    }
  }

  /** What was read first stays, for places were made of it. */
  #know<T extends TaskDocument | typeof unreadable | null>(id: string, read: T) {
    const known = this.#read.get(id)
    if (known !== undefined) return known
    this.#read.set(id, read)
    return read
  }

  async #document(id: string): Promise<TaskDocument | typeof unreadable | null> {
    try {
      return (await this.#tasks.get(id))?.value ?? null
    } catch (error) {
      // Nobody knows what is above a task that can't be read: there the chain ends.
      if (error instanceof CorruptDocumentError) return unreadable
      throw error
    }
  }
}

/** The ancestors of one task from parent to root; null where the task is gone. */
export async function ancestorsOf(
  task: TaskDocument,
  read: (id: string) => Promise<TaskDocument | null>,
): Promise<TaskDocument[] | null> {
  const ancestors: TaskDocument[] = []
  const seen = new Set([task.id])
  for (let at = task; ; ) {
    if (at.doomed !== null) return null
    // Tampering alone can make a circle; it must not hold up everybody.
    if (at.parent_id === null || seen.has(at.parent_id)) return ancestors
    const turn = eventLoopTurn()
    if (turn) await turn
    let parent: TaskDocument | null
    try {
      parent = await read(at.parent_id)
    } catch (error) {
      // Nobody knows what is above a task that can't be read: there the chain ends.
      if (error instanceof CorruptDocumentError) return ancestors
      throw error
    }
    if (parent === null) return null
    ancestors.push(parent)
    seen.add(parent.id)
    at = parent
  }
}
