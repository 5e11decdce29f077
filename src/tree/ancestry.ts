import { CorruptDocumentError } from '../collection/index.ts'
import type { Tasks } from './documents.ts'
import { type Task, type TaskDocument, taskOf } from './task.ts'

/**
 * Reads chains of parents, each task once: what it answers belongs to the moment in which it was made.
 *
 * The chain is the truth about where a task is, and whether it is there at all: it is gone when it or any
 * ancestor is doomed, or an ancestor is missing.
 */
export class Ancestry {
  readonly #tasks: Tasks
  readonly #read = new Map<string, Promise<TaskDocument | null>>()

  constructor(tasks: Tasks, known: Iterable<TaskDocument> = []) {
    this.#tasks = tasks
    for (const task of known) this.add(task)
  }

  /** Makes a task known, so that it need not be read. */
  add(task: TaskDocument): void {
    this.#read.set(task.id, Promise.resolve(task))
  }

  get(id: string): Promise<TaskDocument | null> {
    const read = this.#read.get(id)
    if (read) return read
    const reading = this.#tasks.get(id).then((document) => document?.value ?? null)
    this.#read.set(id, reading)
    return reading
  }

  /** The ancestors from parent to root; null where the task is gone. */
  async of(task: TaskDocument): Promise<TaskDocument[] | null> {
    const ancestors: TaskDocument[] = []
    const seen = new Set([task.id])
    for (let at = task; ; ) {
      if (at.doomed !== null) return null
      // Tampering alone can make a circle; it must not hold up everybody.
      if (at.parent_id === null || seen.has(at.parent_id)) return ancestors
      const parent = await this.#tolerant(at.parent_id)
      // Nobody knows what is above a task that can't be read: there the chain ends.
      if (parent === 'corrupt') return ancestors
      if (parent === null) return null
      ancestors.push(parent)
      seen.add(parent.id)
      at = parent
    }
  }

  /** The task as users see it; null where it is gone. */
  async taskOf(document: TaskDocument): Promise<Task | null> {
    const ancestors = await this.of(document)
    return ancestors && taskOf(document, ancestors.length)
  }

  async #tolerant(id: string): Promise<TaskDocument | null | 'corrupt'> {
    try {
      return await this.get(id)
    } catch (error) {
      if (error instanceof CorruptDocumentError) return 'corrupt'
      throw error
    }
  }
}
