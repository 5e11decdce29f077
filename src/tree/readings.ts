import { StateCache } from '../collection/index.ts'
import type { Head, Store } from '../store/internal.ts'
import { ancestorsOf } from './ancestry.ts'
import type { Tasks } from './documents.ts'
import { TaskNotFoundError } from './error.ts'
import { prefixes } from './keys.ts'
import { type TaskDocument, taskOf } from './task.ts'

/** A task as it was at one moment, written down. */
export interface TaskReading {
  /** Grows with each change of the task. */
  readonly version: number
  /** How many ancestors it has; a move of one of them changes that, and not the version. */
  readonly depth: number
  /** The task as JSON. */
  readonly json: string
}

const keptMax = 4_000
/** Longer ones are written anew each time: all of them would fill the memory. */
const charactersMax = 4_096
/** Deeper ones are read anew each time: to ask whether so many tasks are still the same holds up others. */
const depthMax = 100

/** Reads tasks for those who pass them on as JSON, and keeps what it has written: agents ask for the same tasks again and again. */
export class Readings {
  readonly #tasks: Tasks
  readonly #kept: StateCache<TaskReading>

  constructor(store: Store, tasks: Tasks) {
    this.#tasks = tasks
    this.#kept = new StateCache(store, keptMax)
  }

  /** What was read before, where it still holds; null where that is not known at once. */
  again(id: string): TaskReading | null {
    return this.#kept.get(id)
  }

  /** Throws TASK_NOT_FOUND for what is gone. */
  async read(id: string): Promise<TaskReading> {
    const heads: Head[] = []
    const get = async (at: string): Promise<TaskDocument | null> => {
      const found = await this.#tasks.get(at)
      if (found) heads.push({ key: `${prefixes.tasks}/${at}`, revision: found.revision })
      return found?.value ?? null
    }
    const document = await get(id)
    const ancestors = document && (await ancestorsOf(document, get))
    if (!ancestors) throw new TaskNotFoundError(id)
    const depth = ancestors.length
    const json = JSON.stringify(taskOf(document, depth))
    const reading = { version: document.change.n, depth, json }
    // An ancestor that can't be read has no state that could be asked for.
    const isKept = depth <= depthMax && json.length <= charactersMax
    if (heads.length === depth + 1 && isKept) this.#kept.set(id, reading, heads)
    return reading
  }
}
