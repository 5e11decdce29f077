import { type SetBack, setBackWarning } from '../collection/index.ts'
import { checkedOptions, type Store } from '../store/internal.ts'
import { type Tasks, tasksOn } from './documents.ts'
import { Shape } from './shape.ts'
import { Writes } from './writes.ts'

/** What the sides of a tree work with. */
export interface TreeParts {
  readonly store: Store
  readonly tasks: Tasks
  readonly shape: Shape
  readonly writes: Writes
  readonly now: () => number | Promise<number>
  readonly onSetBack: (setBack: SetBack) => void
}

export interface PartsOptions {
  /** Told in a sentence of every stored task that can't be read, and of tasks that are very deep. */
  readonly onWarning?: ((warning: string) => void) | undefined
  /** Milliseconds since the epoch; the store's own clock if left out. */
  readonly now?: (() => number | Promise<number>) | undefined
}

export function partsOf(store: Store, options: PartsOptions): TreeParts {
  const { onWarning, now = () => store.now() } = checkedOptions(store, options)
  const tasks = tasksOn(store, onWarning && ((error) => onWarning(error.message)))
  const shape = new Shape(store, tasks)
  const writes = new Writes({ tasks, shape, now })
  return { store, tasks, shape, writes, now, onSetBack: setBackWarning(store, onWarning) }
}
