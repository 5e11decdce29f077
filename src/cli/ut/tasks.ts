import type { Task, TaskList } from '../../list/internal.ts'
import type { Context } from '../program/context.ts'
import { candidateLines } from './row.ts'

/** The library is loaded by commands that run; `ut --help` does without. */
export const library = () => import('../../list/internal.ts')

/** Opens the list for as long as it is used. */
export async function withTasks<T>(
  context: Context,
  use: (tasks: TaskList) => Promise<T>,
): Promise<T> {
  const { TaskList } = await library()
  await using store = await context.openStore()
  const tasks = new TaskList(store, { onWarning: (warning) => context.out.warn(warning) })
  try {
    return await use(tasks)
  } catch (error) {
    throw context.out.isJson ? error : await explained(error, tasks)
  }
}

/** Adds to an ambiguous prefix what it may mean, as far as that can be told. */
async function explained(error: unknown, tasks: TaskList): Promise<unknown> {
  const { AmbiguousPrefixError } = await library()
  if (!(error instanceof AmbiguousPrefixError)) return error
  const { ExplainedError } = await import('../program/failure.ts')
  const { candidates, count } = error
  const texts = await Promise.all(candidates.map((id) => tasks.get(id).catch(() => ({ id }))))
  const lines = await candidateLines(texts)
  const isCut = candidates.length < count
  return new ExplainedError(error, [
    ...lines,
    ...(isCut ? [`${candidates.length} of ${count}`] : []),
  ])
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
