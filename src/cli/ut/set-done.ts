import type { Task } from '../../list/index.ts'
import type { Context } from '../program/context.ts'
import { shortIds } from './row.ts'
import { changeEach, checkedPrefixes, targetsOf, taskData, withTasks } from './tasks.ts'

/** Sets `done` of several tasks, or says that it is so already. */
export async function setDone(
  context: Context,
  {
    done,
    already,
    linesOf,
  }: { done: boolean; already: string; linesOf: (tasks: readonly Task[]) => Promise<string[]> },
): Promise<void> {
  const { args, out } = context
  const prefixes = await checkedPrefixes(args.words)
  const { done: outcomes, failures } = await withTasks(context, async (list) => {
    const targets = await targetsOf(list, prefixes)
    return changeEach(targets, ({ id }) => list.edit(id, { done }))
  })
  const tasks = outcomes.map(({ task }) => task)
  const lines = await linesOf(tasks)
  const answer = { kind: 'task.list', data: tasks.map(taskData), lines }
  if (failures.length === 0 || !out.isJson) out.confirm(answer)
  const ids = shortIds(tasks.map(({ id }) => id))
  for (const [at, { changed }] of outcomes.entries())
    if (!changed) out.note(`${ids[at]} is ${already}.`)
  if (failures.length > 0) throw failures[0]
}
