import {
  Collection,
  type Condition,
  CorruptDocumentError,
  type Held,
  type Outcome,
  type RepairOptions,
  type RepairReport,
} from '../collection/index.ts'
import { compete, type Entry, lost, type Store } from '../store/internal.ts'
import { type Stored, taskDefinition, untouched } from './document.ts'
import { CorruptTaskError, TaskNotFoundError } from './error.ts'
import {
  folded,
  isUntouched,
  keepPage,
  numbered,
  pagesIn,
  statesOf,
  type TaskVersion,
  type Told,
} from './history.ts'
import { taskKeyOf } from './keys.ts'
import { SetAside } from './set-aside.ts'
import { type Command, LongTrail, type Meant, type MovedPages, step } from './step.ts'
import type { Task } from './task.ts'

/** A task that somebody has in hand, to be changed without another look. */
export type HeldTask = Held<Stored>

/** The states before and after a command; the same where it changed nothing. */
export interface Change {
  readonly before: Task
  readonly after: Task
  readonly held: HeldTask | null
}

/** Tasks in a store, with their indexes and their history. */
export class Repository {
  readonly store: Store
  readonly tasks: Collection<Stored>

  /** Tasks that can't be read are set aside: lists pass over them. */
  constructor(store: Store, aside: SetAside | ((warning: string) => void)) {
    this.store = store
    const setAside = aside instanceof SetAside ? aside : new SetAside(aside)
    this.tasks = new Collection(store, taskDefinition, {
      onCorrupt: ({ id, what }) => setAside.tell(id, what),
    })
  }

  /** Creates a task under an id that is most likely free; false where it is taken. */
  add(task: Task): Promise<boolean> {
    return this.tasks.addShared(task.id, untouched(task), isOfOneSubmission)
  }

  /** The same for many, in as few commits as the store allows. */
  addAll(tasks: readonly Task[]): Promise<boolean[]> {
    const documents = tasks.map((task) => [task.id, untouched(task)] as const)
    return this.tasks.addAll(documents, isOfOneSubmission)
  }

  /** Null where there is none. Throws {@link CorruptTaskError}. */
  async find(id: string): Promise<Task | null> {
    const document = await this.tasks.get(id).catch(rethrow)
    return document === null ? null : document.value.task
  }

  /** Throws {@link TaskNotFoundError} and {@link CorruptTaskError}. */
  async get(id: string): Promise<Task> {
    const task = await this.find(id)
    if (task === null) throw new TaskNotFoundError(id)
    return task
  }

  /** Changes a task. Throws {@link TaskNotFoundError}, and whatever its rule refuses with. */
  async change(id: string, command: Command, on: Condition = {}): Promise<Change> {
    const meant = { command, on }
    try {
      return await this.#changeOnce(id, meant, null)
    } catch (error) {
      return this.#afterFailure(id, meant, error)
    }
  }

  /** The same, beginning with what is held instead of a look. */
  changeHeld(held: HeldTask, command: Command): Promise<Change> {
    const { id } = held
    const meant = { command, on: anyState }
    return this.tasks
      .changeHeld(held, (stored) => step(stored, meant, null))
      .then(
        (outcome) => changeOf(id, outcome),
        (error) => this.#afterFailure(id, meant, error),
      )
  }

  /** All states that a task has had, oldest first. */
  async history(id: string): Promise<TaskVersion[]> {
    const document = await this.tasks.get(id).catch(rethrow)
    if (document === null) throw new TaskNotFoundError(id)
    return numbered(await this.#statesOf(id, document.value))
  }

  /**
   * A stored task as it leaves this store: where its history is known from versions that the store has kept, and not
   * from its trail, with a trail that has all of it. Null where there is nothing to add.
   */
  async completed(id: string, entry: Entry): Promise<Uint8Array | null> {
    const stored = this.store.versions ? this.#readable(entry.value, id) : null
    if (stored === null) return null
    const [first] = await statesOf([stored], pagesIn(this.store, id))
    if (first && isUntouched(first)) return null
    const states = await this.#statesOf(id, stored, entry.revision)
    return this.tasks.definition.codec.encode({ ...stored, trail: folded(stored, states) })
  }

  repair(options?: RepairOptions): Promise<RepairReport> {
    return this.tasks.repair(options)
  }

  /** A history that has become too long is cut, then the change is made; every other failure is passed on. */
  #afterFailure(id: string, meant: Meant, failure: unknown): Promise<Change> {
    let error = failure
    const moved = new Map<number, number>()
    return compete(`the history of task ${id}`, async () => {
      if (!(error instanceof LongTrail)) return rethrow(error)
      moved.set(error.trail.from, await keepPage(pagesIn(this.store, id), error.trail))
      try {
        return await this.#changeOnce(id, meant, moved)
      } catch (later) {
        error = later
        return lost
      }
    })
  }

  /** No history tells whether a lease was extended: after a lost answer, and a change by others, nobody may extend it again. */
  async #changeOnce(id: string, meant: Meant, moved: MovedPages): Promise<Change> {
    const next = (stored: Stored) => step(stored, meant, moved)
    return changeOf(
      id,
      await this.tasks.change(id, next, { isExact: meant.command[0] === 'extend' }),
    )
  }

  /** All states of a task up to one, which is the last that the store has unless its revision is given. */
  async #statesOf(id: string, last: Told, revision?: string): Promise<Task[]> {
    const kept = await this.#kept(id, revision)
    return statesOf(kept.length === 0 ? [last] : kept, pagesIn(this.store, id))
  }

  /** The states that the store has kept, oldest first. What can't be read is left out. */
  async #kept(id: string, upTo?: string): Promise<(Told | null)[]> {
    const kept: (Told | null)[] = []
    const versions = this.store.versions?.(taskKeyOf(id)) ?? []
    for await (const { value, revision } of versions) {
      // It was changed after it was read.
      if (revision === upTo) kept.length = 0
      const stored = value && this.#readable(value, id)
      if (stored || value === null) kept.push(stored)
    }
    return kept.reverse()
  }

  #readable(bytes: Uint8Array, id: string): Stored | null {
    try {
      return this.tasks.definition.codec.decode(bytes, id)
    } catch {
      return null
    }
  }
}

const anyState: Condition = {}

function changeOf(id: string, outcome: Outcome<Stored> | null): Change {
  if (outcome === null || outcome.before === null || outcome.after === null)
    throw new TaskNotFoundError(id)
  return new OutcomeChange(outcome, outcome.before.task, outcome.after.task)
}

class OutcomeChange implements Change {
  readonly before: Task
  readonly after: Task
  readonly #outcome: Outcome<Stored>

  constructor(outcome: Outcome<Stored>, before: Task, after: Task) {
    this.#outcome = outcome
    this.before = before
    this.after = after
  }

  /** Put together when it is asked for: who finishes a task has no use for it. */
  get held(): HeldTask | null {
    return this.#outcome.held
  }
}

/** By what never changes: a worker may have had the task already. */
const isOfOneSubmission = ({ task: there }: Stored, { task }: Stored): boolean =>
  there.created_at === task.created_at &&
  there.task_type === task.task_type &&
  there.idempotency_key === task.idempotency_key &&
  there.input_ref === task.input_ref &&
  JSON.stringify(there.input) === JSON.stringify(task.input)

function rethrow(error: unknown): never {
  if (!(error instanceof CorruptDocumentError)) throw error
  throw new CorruptTaskError(error.id, error.what, error.cause)
}
