import type { Task, TaskTree } from '../../../tree/internal.ts'
import type { Command } from '../../program/command.ts'
import { isConfirmed, yesOption } from '../../program/confirmation.ts'
import { agentOf, agentOption } from '../agent.ts'
import { checkedPrefix, idArgument, idOf, library, withTree } from '../tree.ts'

export const declined = 'Nothing was deleted.'

export const deleteTask: Command = {
  name: 'delete',
  about: 'delete a task, all below it, and their history',
  details:
    "There is no way back. Nobody may be working on any of them. On a terminal it asks first. A task that can't be read goes only by its whole id.",
  arguments: [idArgument],
  options: { ...yesOption, ...agentOption },
  async run(context) {
    const by = await agentOf(context)
    const prefix = await checkedPrefix(context.args.words[0])
    const deleted = await withTree(context, async (tree) => {
      const id = await idOf(tree, prefix)
      const task = await readable(tree, id, prefix)
      const asked = async () => ({ question: await questionOf(tree, id, task), declined })
      if (!(await isConfirmed(context, asked))) return null
      const { descendants } = await tree.delete(id, by)
      return { ...(task ?? { id }), descendants }
    })
    if (deleted === null) return
    const { id, descendants } = deleted
    const line = `Deleted task ${id} (and ${descendants.length} children)`
    context.out.confirm({ kind: 'task', data: deleted, lines: [line] })
  },
}

/** The task; null for one that can't be read, and was named by its whole id. */
async function readable(tree: TaskTree, id: string, given: string): Promise<Task | null> {
  const { CorruptDocumentError } = await library()
  try {
    return await tree.get(id)
  } catch (error) {
    if (error instanceof CorruptDocumentError && error.id === given) return null
    throw error
  }
}

async function questionOf(tree: TaskTree, id: string, task: Task | null): Promise<string> {
  if (task === null) return `Delete task ${id}, which can't be read?`
  const { total } = await tree.subtreeList(id, { includeDeleted: true })
  const below = (total ?? 1) - 1
  const also = below === 0 ? '' : ` and the ${below} below it`
  return `Delete task ${id} "${task.title}"${also}?`
}
