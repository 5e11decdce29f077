import type { Task, TaskList } from '../../list/internal.ts'
import type { Argument } from '../program/command.ts'
import type { Model } from '../program/model.ts'
import { rowsOf } from './row.ts'

/** The library is loaded by commands that run; `ut --help` does without. */
export const library = () => import('../../list/internal.ts')

export const prefixArgument: Argument = { name: 'PREFIX', about: 'the first digits of an id' }

export const listModel: Model<TaskList> = {
  async make(store, onWarning) {
    const { TaskList } = await library()
    return new TaskList(store, { onWarning })
  },
  async candidateLines(list, ids) {
    const tasks = await Promise.all(ids.map((id) => list.get(id).catch(() => ({ id }))))
    return rowsOf(tasks.map(({ id, ...task }) => ({ ...task, id, tags: [] })))
  },
}

/**
 * The tasks that prefixes name, each once. All are looked up before anything is changed: where one is
 * missing or ambiguous, nothing is.
 */
export async function targetsOf(tasks: TaskList, prefixes: readonly string[]): Promise<Task[]> {
  const found = await Promise.allSettled(prefixes.map((prefix) => tasks.get(prefix)))
  const byId = new Map<string, Task>()
  for (const one of found) {
    if (one.status === 'rejected') throw one.reason
    byId.set(one.value.id, one.value)
  }
  return [...byId.values()]
}

/** A task with the fields of the specification, in its order, whatever else was stored with it. */
export const taskData = ({ id, text, done, tags, created }: Task) => ({
  id,
  text,
  done,
  tags,
  created,
})

/** Refuses what is no prefix of any id, before the store is opened. */
export async function checkedPrefixes(prefixes: readonly string[]): Promise<string[]> {
  const { checkPrefix } = await library()
  return prefixes.map(checkPrefix)
}
