import type { Command } from '../../program/command.ts'
import { answerList } from '../query.ts'
import { checkedPrefix, idArgument, idOf, withTree } from '../tree.ts'

export const ancestors: Command = {
  name: 'ancestors',
  about: 'list the tasks above a task, from its parent to the top',
  arguments: [idArgument],
  async run(context) {
    const prefix = await checkedPrefix(context.args.words[0])
    const tasks = await withTree(context, async (tree) => tree.ancestors(await idOf(tree, prefix)))
    await answerList(context, tasks)
  },
}
