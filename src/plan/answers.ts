import type { Logged } from '../collection/index.ts'
import type { Goal, PlanTask, Session } from './documents.ts'
import type { PlanEvent } from './event.ts'

/** What an agent has set out to do: the goal, and the tasks in the order in which they were added. */
export interface Plan {
  /** The session it belongs to. */
  readonly session: Session
  /** What it is for; null until one is set. */
  readonly goal: Goal | null
  /** Its steps, in the order in which they were added. */
  readonly tasks: readonly PlanTask[]
}

/** A plan, and what was just changed in it: null where nothing was, else the ids of tasks. */
export interface PlanAfter extends Plan {
  readonly touched?: readonly string[] | null
}

/** A session and its goal, for lists. */
export interface SessionSummary {
  /** The session. */
  readonly session: Session
  /** What it is for; null until one is set. */
  readonly goal: Goal | null
}

/** What a change did. */
export interface ChangeOutcome {
  /** The events that tell of it; none where everything was so already. */
  readonly events: readonly Logged<PlanEvent>[]
  /** The tasks that the change names, each once, in the order given; a task that was already there as well. */
  readonly tasks: readonly {
    /** The task's id. */
    readonly id: string
    /** Whether the change added it or changed anything about it. */
    readonly changed: boolean
  }[]
}

/** How plans are kept; all of it may be left out. */
export interface PlansOptions {
  /** Told in a sentence of every stored document that can't be read, and that is therefore left out. */
  readonly onWarning?: ((warning: string) => void) | undefined
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
}
