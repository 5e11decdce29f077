import type { Task, TaskList } from '../../list/internal.ts'
import type { Command } from '../program/command.ts'
import { answerEach, changeEach } from '../program/each.ts'
import { matchedId } from './row.ts'
import { checkedPrefixes, library, taskData, withTasks } from './tasks.ts'

export const rm: Command = {
  name: 'rm',
  about: 'delete tasks',
  details: "There is no way back. A task that can't be read goes only by its whole id.",
  arguments: [{ name: 'PREFIX', about: 'the first digits of an id', isMany: true }],
  async run(context) {
    const { args } = context
    const prefixes = await checkedPrefixes(args.words)
    const { done, failures } = await withTasks(context, async (list) => {
      const targets = await targetsToDelete(list, prefixes)
      return changeEach(targets, async ([id, task]) => {
        await list.delete(id)
        return { id, task }
      })
    })
    const answer = {
      kind: 'task.list',
      data: done.map(({ id, task }) => (task ? taskData(task) : { id })),
      lines: done.map(({ id }) => `Deleted (matched id ${matchedId(id)})`),
    }
    await answerEach(context, answer, failures)
  },
}

/** Ids and tasks, each once; no task for one that can't be read, and was named by its whole id. */
async function targetsToDelete(list: TaskList, prefixes: readonly string[]) {
  const { CorruptDocumentError } = await library()
  const targets = new Map<string, Task | null>()
  const find = async (prefix: string): Promise<[string, Task | null]> => {
    try {
      const task = await list.get(prefix)
      return [task.id, task]
    } catch (error) {
      if (error instanceof CorruptDocumentError && error.id === prefix) return [prefix, null]
      throw error
    }
  }
  for (const found of await Promise.allSettled(prefixes.map(find))) {
    if (found.status === 'rejected') throw found.reason
    targets.set(...found.value)
  }
  return targets
}
