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
  of(task: TaskDocument): Promise<TaskDocument[] | null> {
    return ancestorsOf(task, (id) => this.get(id))
  }

  /** The task as users see it; null where it is gone. */
  async taskOf(document: TaskDocument): Promise<Task | null> {
    const ancestors = await this.of(document)
    return ancestors && taskOf(document, ancestors.length)
  }
}

/** The same for one task, whose ancestors nobody else asks for. */
export async function ancestorsOf(
  task: TaskDocument,
  read: (id: string) => Promise<TaskDocument | null>,
): Promise<TaskDocument[] | null> {
  const ancestors: TaskDocument[] = []
  const isSeen = (id: string) => id === task.id || ancestors.some((each) => each.id === id)
  for (let at = task; ; ) {
    if (at.doomed !== null) return null
    // Tampering alone can make a circle; it must not hold up everybody.
    if (at.parent_id === null || isSeen(at.parent_id)) return ancestors
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
    at = parent
  }
}
