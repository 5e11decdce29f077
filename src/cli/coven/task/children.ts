import type { Command } from '../../program/command.ts'
import { answerList, includeDeleted, pageExclusive, pageOf, pageOptions } from '../query.ts'
import { checkedPrefix, idArgument, idOf, withTree } from '../tree.ts'

export const children: Command = {
  name: 'children',
  about: 'list the tasks directly below a task, oldest first',
  arguments: [idArgument],
  options: { ...includeDeleted, ...pageOptions },
  exclusive: pageExclusive,
  async run(context) {
    const { args } = context
    const { limit, offset } = pageOf(context)
    const options = { includeDeleted: args.has('include-deleted') }
    const prefix = await checkedPrefix(args.words[0])
    const tasks = await withTree(context, async (tree) =>
      tree.children(await idOf(tree, prefix), options),
    )
    await answerList(context, tasks.slice(offset, offset + limit), tasks.length)
  },
}
