import {
  Collection,
  type Condition,
  CorruptDocumentError,
  type Held,
  type Outcome,
  type RepairOptions,
  type RepairReport,
} from '../collection/index.ts'
import { compete, lost, type Store } from '../store/index.ts'
import { type Stored, taskDefinition } from './document.ts'
import { CorruptTaskError, TaskNotFoundError } from './error.ts'
import {
  extended,
  isLong,
  keepPage,
  newTrail,
  shortened,
  type TaskVersion,
  type Trail,
  versionsAmong,
  versionsOf,
} from './history.ts'
import { taskKeyOf } from './keys.ts'
import { apply, type Commands } from './rules.ts'
import { checkState } from './state.ts'
import type { Task } from './task.ts'

/** A task that somebody has in hand, to be changed without another look. */
export type HeldTask = Held<Stored>

/** The states before and after a command; the same where it changed nothing. */
export interface Change {
  readonly before: Task
  readonly after: Task
  readonly held: HeldTask | null
}

/** A command, and what it needs to know. */
export type Command = {
  [K in keyof Commands]: readonly [name: K, command: Commands[K]]
}[keyof Commands]

/** Tasks in a store, with their indexes and their history. */
export class Repository {
  readonly store: Store
  readonly tasks: Collection<Stored>
  readonly #keepsTrail: boolean

  /** `onWarning` is told in a sentence of every stored task that can't be read, and is passed over. */
  constructor(store: Store, onWarning: (warning: string) => void) {
    this.store = store
    this.#keepsTrail = store.versions === undefined
    this.tasks = new Collection(store, taskDefinition(this.#keepsTrail), {
      onCorrupt: (error) => onWarning(error.what),
    })
  }

  /** Creates a task under an id that is most likely free; false where it is taken. */
  add(task: Task): Promise<boolean> {
    return this.tasks.add(task.id, this.stored(task)).then(isHeld)
  }

  /** The same for many, in as few commits as the store allows. */
  addAll(tasks: readonly Task[]): Promise<boolean[]> {
    return this.tasks.addAll(tasks.map((task) => [task.id, this.stored(task)] as const))
  }

  stored(task: Task): Stored {
    return { task, trail: this.#keepsTrail ? newTrail : null, extra: null }
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
      return changeOf(id, await this.tasks.change(id, (stored) => next(stored, meant, null)))
    } catch (error) {
      return this.#afterFailure(id, meant, error)
    }
  }

  /** The same, beginning with what is held instead of a look. */
  changeHeld(held: HeldTask, command: Command): Promise<Change> {
    const { id } = held
    const meant = { command, on: anyState }
    return this.tasks
      .changeHeld(held, (stored) => next(stored, meant, null))
      .then(
        (outcome) => changeOf(id, outcome),
        (error) => this.#afterFailure(id, meant, error),
      )
  }

  /** All states that a task has had, oldest first. */
  async history(id: string): Promise<TaskVersion[]> {
    const document = await this.tasks.get(id).catch(rethrow)
    if (document === null) throw new TaskNotFoundError(id)
    const { task, trail } = document.value
    return trail ? versionsOf(this.store, task, trail) : versionsAmong(await this.#kept(id))
  }

  repair(options?: RepairOptions): Promise<RepairReport> {
    return this.tasks.repair(options)
  }

  /** A history that has become too long is cut, then the change is made; every other failure is passed on. */
  #afterFailure(id: string, meant: Meant, failure: unknown): Promise<Change> {
    let error = failure
    const kept = new Set<number>()
    return compete(`the history of task ${id}`, async () => {
      if (!(error instanceof LongTrail)) return rethrow(error)
      await keepPage(this.store, id, error.trail)
      kept.add(error.trail.from)
      try {
        return changeOf(id, await this.tasks.change(id, (stored) => next(stored, meant, kept)))
      } catch (later) {
        error = later
        return lost
      }
    })
  }

  /** The states that the store has kept, oldest first. What can't be read is left out. */
  async #kept(id: string): Promise<Task[]> {
    const tasks: Task[] = []
    const versions = this.store.versions?.(taskKeyOf(id)) ?? []
    for await (const { value } of versions) {
      const task = value && this.#readable(value, id)
      if (task) tasks.push(task)
    }
    return tasks.reverse()
  }

  #readable(bytes: Uint8Array, id: string): Task | null {
    try {
      return this.tasks.definition.codec.decode(bytes, id).task
    } catch {
      return null
    }
  }
}

const anyState: Condition = {}

/** A command, and on which state of the task. */
interface Meant {
  readonly command: Command
  readonly on: Condition
}

/** The history has outgrown the document: its beginning must be kept elsewhere first. */
class LongTrail extends Error {
  readonly trail: Trail

  constructor(trail: Trail) {
    super('the history is too long')
    this.trail = trail
  }
}

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

const isHeld = (held: HeldTask | null): boolean => held !== null

/** The beginnings of histories that lie in keys of their own already. */
type Kept = ReadonlySet<number> | null

function next(stored: Stored, { command: [name, command], on }: Meant, kept: Kept): Stored {
  const { task, trail, extra } = stored
  checkState(task, on)
  const after = apply(name, task, command)
  if (after === task) return stored
  if (trail === null) return { task: after, trail, extra }
  const isMoved = isLong(trail)
  if (isMoved && !kept?.has(trail.from)) throw new LongTrail(trail)
  return { task: after, trail: extended(isMoved ? shortened(trail) : trail, task, after), extra }
}

function rethrow(error: unknown): never {
  if (!(error instanceof CorruptDocumentError)) throw error
  throw new CorruptTaskError(error.id, error.what, error.cause)
}
