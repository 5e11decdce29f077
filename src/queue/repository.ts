import {
  Collection,
  type Condition,
  CorruptDocumentError,
  type Held,
  type Outcome,
  type RepairOptions,
  type RepairReport,
} from '../collection/index.ts'
import { compete, type Entry, lost, type Store, StoreError } from '../store/internal.ts'
import { type Stored, taskDefinition, untouched } from './document.ts'
import { CorruptTaskError, TaskNotFoundError } from './error.ts'
import {
  folded,
  isAlike,
  isForgotten,
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
import {
  type Command,
  ForgottenTrail,
  LongTrail,
  type Meant,
  type MovedPages,
  step,
} from './step.ts'
import type { Task } from './task.ts'

/** A task that somebody has in hand, to be changed without another look. */
export type HeldTask = Held<Stored>

/** The states before and after a command; the same where it changed nothing. */
interface Change {
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
      return await this.#changeOnce(id, meant, nothingKnown)
    } catch (error) {
      return this.#afterFailure(id, meant, error)
    }
  }

  /** The same, beginning with what is held instead of a look. */
  changeHeld(held: HeldTask, command: Command): Promise<Change> {
    const { id } = held
    const meant = { command, on: anyState }
    return this.tasks
      .changeHeld(held, (stored) => this.#step(stored, meant, nothingKnown))
      .then(
        (outcome) => changeOf(id, outcome),
        (error) => this.#afterFailure(id, meant, error),
      )
  }

  /** All states that a task has had, oldest first. */
  async history(id: string): Promise<TaskVersion[]> {
    const versions = await this.#versions(id)
    // The newest of them is the task itself; where it can't be read, this says so.
    if (versions[0]?.told)
      return numbered(await statesOf(keptIn(versions), pagesIn(this.store, id)))
    const document = await this.tasks.get(id).catch(rethrow)
    if (document === null) throw new TaskNotFoundError(id)
    return numbered(await this.#allStates(id, document.value, versions))
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

  /** What a command makes of a task, which has its history again where another tool's write has dropped it. */
  #step(stored: Stored, meant: Meant, { moved, recalled }: Past): Stored {
    const after = step(stored, meant, moved)
    if (after === stored || !this.store.versions || !isForgotten(stored)) return after
    const last = recalled?.at(-1)
    if (!recalled || !last || !isAlike(last, stored.task)) throw new ForgottenTrail(stored)
    return step({ ...stored, trail: folded(stored, recalled) }, meant, moved)
  }

  /** A history that has become too long is cut, one that was dropped is found, then the change is made; every other failure is passed on. */
  #afterFailure(id: string, meant: Meant, failure: unknown): Promise<Change> {
    let error = failure
    const moved = new Map<number, number>()
    let recalled: readonly Task[] | null = null
    return compete(`the history of task ${id}`, async () => {
      if (error instanceof LongTrail)
        moved.set(error.trail.from, await keepPage(pagesIn(this.store, id), error.trail))
      else if (error instanceof ForgottenTrail) recalled = await this.#recall(id, error.stored)
      else return rethrow(error)
      try {
        return await this.#changeOnce(id, meant, { moved, recalled })
      } catch (later) {
        error = later
        return lost
      }
    })
  }

  /**
   * All states of a task up to this one, by the versions that the store has kept. Where they can't be read, this one alone:
   * no task stands still because somebody may not list versions.
   */
  async #recall(id: string, { task, trail }: Stored): Promise<readonly Task[]> {
    try {
      const states = await this.#statesOf(id, { task, trail })
      const at = states.findLastIndex((state) => isAlike(state, task))
      return at < 0 ? [...states, task] : states.slice(0, at + 1)
    } catch (error) {
      if (error instanceof StoreError && isAway(error)) throw error
      return [task]
    }
  }

  /** No history tells whether a lease was extended: after a lost answer, and a change by others, nobody may extend it again. */
  async #changeOnce(id: string, meant: Meant, past: Past): Promise<Change> {
    const next = (stored: Stored) => this.#step(stored, meant, past)
    return changeOf(
      id,
      await this.tasks.change(id, next, { isExact: meant.command[0] === 'extend' }),
    )
  }

  /** All states of a task up to one, which is the last that the store has unless its revision is given. */
  async #statesOf(id: string, last: Told, revision?: string): Promise<Task[]> {
    const versions = await this.#versions(id)
    // It may have been changed after it was read.
    const at =
      revision === undefined ? 0 : versions.findLastIndex((each) => each.revision === revision)
    return this.#allStates(id, last, versions.slice(Math.max(at, 0)))
  }

  #allStates(id: string, last: Told, versions: readonly Kept[]): Promise<Task[]> {
    const kept = keptIn(versions)
    return statesOf(kept.length === 0 ? [last] : kept, pagesIn(this.store, id))
  }

  /** The states that the store has kept, newest first. */
  async #versions(id: string): Promise<Kept[]> {
    const kept: Kept[] = []
    for await (const { value, revision } of this.store.versions?.(taskKeyOf(id)) ?? [])
      kept.push({ revision, isRemoval: value === null, told: value && this.#readable(value, id) })
    return kept
  }

  #readable(bytes: Uint8Array, id: string): Stored | null {
    try {
      return this.tasks.definition.codec.decode(bytes, id)
    } catch {
      return null
    }
  }
}

/** Who may not read versions will not be able to later. */
const isAway = ({ code, reason }: StoreError): boolean =>
  (code === 'unavailable' && reason !== 'permission') || code === 'closed'

const anyState: Condition = {}

/** A state that the store has kept: null where it can't be read, or is a removal. */
interface Kept {
  readonly revision: string
  readonly isRemoval: boolean
  readonly told: Told | null
}

/** Oldest first, without what can't be read. */
const keptIn = (versions: readonly Kept[]): (Told | null)[] =>
  versions
    .filter(({ isRemoval, told }) => isRemoval || told !== null)
    .map(({ told }) => told)
    .reverse()

/** What was found out of the history of a task before it is changed: pages that were kept, and states that its trail lacks. */
interface Past {
  readonly moved: MovedPages
  readonly recalled: readonly Task[] | null
}

const nothingKnown: Past = { moved: null, recalled: null }

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
