import type { Task } from '../../list/internal.ts'
import type { Context } from '../program/context.ts'
import { answerEach, changeEach } from '../program/each.ts'
import { alikeOf, shortIds } from './row.ts'
import { checkedPrefixes, targetsOf, taskData, withTasks } from './tasks.ts'

/** Sets `done` of several tasks, or says that it is so already. */
export async function setDone(
  context: Context,
  {
    done,
    already,
    linesOf,
  }: {
    done: boolean
    already: string
    linesOf: (tasks: readonly Task[], alike: readonly string[]) => Promise<string[]>
  },
): Promise<void> {
  const { args, out } = context
  const prefixes = await checkedPrefixes(args.words)
  const { outcomes, failures, alike } = await withTasks(context, async (list) => {
    const targets = await targetsOf(list, prefixes)
    const changes = await changeEach(targets, ({ id }) => list.edit(id, { done }))
    const isShown = !out.isJson && changes.failures.length === 0
    return {
      outcomes: changes.done,
      failures: changes.failures,
      alike: isShown ? await alikeOf(list, targets) : [],
    }
  })
  const tasks = outcomes.map(({ task }) => task)
  const lines = await linesOf(tasks, alike)
  await answerEach(context, { kind: 'task.list', data: tasks.map(taskData), lines }, failures)
  const ids = shortIds(
    tasks.map(({ id }) => id),
    alike,
  )
  for (const [at, { changed }] of outcomes.entries())
    if (!changed) out.note(`${ids[at]} is ${already}.`)
}
