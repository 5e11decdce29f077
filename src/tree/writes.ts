import { compete, lost } from '../store/internal.ts'
import { Ancestry, ancestorsOf } from './ancestry.ts'
import type { Told } from './change.ts'
import { checkAgent } from './checks.ts'
import type { Tasks } from './documents.ts'
import { PreconditionFailedError, TaskNotFoundError } from './error.ts'
import { checkId } from './id.ts'
import { inDoubt } from './in-doubt.ts'
import type { Shape } from './shape.ts'
import { answeredTaskOf, type Task, type TaskDocument } from './task.ts'

/**
 * Who asks; and, if it matters, in which version of the task, or in one of which, as {@link TaskTree.getVersion} tells it.
 * `mayChange` throws where who asks may not change such a task.
 */
export type By =
  | string
  | {
      readonly agent: string
      readonly version?: number | readonly number[] | undefined
      readonly mayChange?: ((task: Pick<TaskDocument, 'status'>) => void) | undefined
    }

/** A task that is there, with its ancestors from parent to root. */
interface Present {
  readonly document: TaskDocument
  readonly ancestors: readonly TaskDocument[]
}

/** What a change makes of a task as it is now; it may refuse by throwing. */
export type Next = (now: TaskDocument, told: Told) => TaskDocument

/** How often to look for a task whose ancestors seem to be gone. */
const looksMax = 2

/** Something has changed since it was looked at. */
class OutdatedError extends Error {}

interface WritesParts {
  readonly tasks: Tasks
  readonly shape: Shape
  readonly now: () => number | Promise<number>
}

/** Changes single tasks. */
export class Writes {
  readonly #tasks: Tasks
  readonly #shape: Shape
  readonly #now: () => number | Promise<number>
  #sharers = 0
  /** Ancestors that were read since the shape of the tree had this number. */
  #shared: { readonly n: number; readonly ancestry: Ancestry } | null = null

  constructor(parts: WritesParts) {
    this.#tasks = parts.tasks
    this.#shape = parts.shape
    this.#now = parts.now
  }

  readonly #read = async (id: string): Promise<TaskDocument | null> =>
    (await this.#tasks.get(id))?.value ?? null

  async told(by: By): Promise<Told> {
    const agent = checkAgent(typeof by === 'string' ? by : by?.agent)
    return { by: agent, at: new Date(await this.#now()).toISOString() }
  }

  /** Throws TASK_NOT_FOUND for what is gone. */
  async present(id: string): Promise<Present> {
    // What was moved out of a tree that was then deleted, between our reads of the two, a second look finds elsewhere.
    for (let look = 0; look < looksMax; look++) {
      const document = await this.#read(id)
      if (document === null) break
      const ancestors = await ancestorsOf(document, this.#read)
      if (ancestors) return { document, ancestors }
    }
    throw new TaskNotFoundError(id)
  }

  /** While it runs, all changes read each ancestor once, as long as the tree keeps its shape. */
  async sharingAncestors<T>(run: () => Promise<T>): Promise<T> {
    this.#sharers++
    try {
      return await run()
    } finally {
      this.#sharers--
      if (this.#sharers === 0) this.#shared = null
    }
  }

  /** Throws TASK_NOT_FOUND for what is gone. */
  async #depthOf(id: string): Promise<number> {
    if (this.#sharers === 0) return (await this.present(id)).ancestors.length
    const n = await this.#shape.structure.settled()
    if (this.#shared?.n !== n) this.#shared = { n, ancestry: new Ancestry(this.#tasks) }
    const { ancestry } = this.#shared
    const document = await this.#read(id)
    const place = document && (await ancestry.placeOf(document))
    if (!place?.isThere) throw new TaskNotFoundError(id)
    return place.depth
  }

  /** Swaps a task for what is made of it. */
  async swap(given: string, by: By, next: Next): Promise<Task> {
    const id = checkId(given)
    const told = await this.told(by)
    const depth = await this.#depthOf(id)
    const outcome = await this.#tasks.change(id, (now) => next(checked(now, by), told))
    if (!outcome) throw new TaskNotFoundError(id)
    const { before, after } = outcome
    return answeredTaskOf(after, depth, before !== after)
  }

  /**
   * The same where what is made of the task takes time to find out, and where the task becomes active or is no longer
   * hidden: of this and a deletion of something above it, either the deletion sees it and is refused, or it is too late
   * here.
   * `plan` looks at the task as it is, and runs again whenever that changed before the swap.
   */
  async swapPlanned(
    given: string,
    by: By,
    plan: (present: Present, told: Told) => Promise<Next>,
  ): Promise<Task> {
    const id = checkId(given)
    const told = await this.told(by)
    const { structure } = this.#shape
    const shapeBefore = { n: 0 }
    const { before, after, depth } = await compete(`the task ${id}`, async () => {
      shapeBefore.n = await structure.settled()
      const present = await this.present(id)
      checked(present.document, by)
      const next = await plan(present, told)
      const outcome = await this.#swapAs(present, (now) => next(checked(now, by), told))
      return outcome === lost ? lost : { ...outcome, depth: present.ancestors.length }
    })
    const isChanged = before !== after
    return inDoubt(async () => {
      if (await structure.isStill(shapeBefore.n)) return answeredTaskOf(after, depth, isChanged)
      // Whatever was under way is done then, and has seen that the task is active, unless that was too late.
      await structure.settled()
      const { ancestors } = await this.present(id)
      return answeredTaskOf(after, ancestors.length, isChanged)
    })
  }

  /** Lost where the task is no longer as it was. */
  async #swapAs(
    { document: { id, change } }: Present,
    next: (now: TaskDocument) => TaskDocument,
  ): Promise<{ before: TaskDocument; after: TaskDocument } | typeof lost> {
    try {
      const outcome = await this.#tasks.change(id, (now) => {
        if (now.change.n !== change.n) throw new OutdatedError()
        return next(now)
      })
      if (!outcome) throw new TaskNotFoundError(id)
      return outcome
    } catch (error) {
      if (error instanceof OutdatedError) return lost
      throw error
    }
  }
}

/** A task that may be changed: one that is not being deleted, in the version that was asked for. */
export function checked(task: TaskDocument, by: By): TaskDocument {
  if (task.doomed !== null) throw new TaskNotFoundError(task.id)
  const { n } = task.change
  const { version: wanted, mayChange }: Exclude<By, string> =
    typeof by === 'string' ? { agent: by } : by
  mayChange?.(task)
  if (wanted === undefined || [wanted].flat().includes(n)) return task
  throw new PreconditionFailedError(wanted, n)
}
