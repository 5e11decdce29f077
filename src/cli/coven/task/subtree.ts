import type { Command } from '../../program/command.ts'
import { cutTree, drawnTree } from '../drawing.ts'
import { includeDeleted, pageExclusive, pageOf, pageOptions } from '../query.ts'
import { taskRows } from '../row.ts'
import { checkedPrefix, idArgument, idOf, library, withTree } from '../tree.ts'

const { limit, all } = pageOptions

export const subtree: Command = {
  name: 'subtree',
  about: 'show a task and all below it, as a tree',
  details: 'Where there are more than the limit, what is nearer to the top is shown.',
  arguments: [idArgument],
  options: { flat: { about: 'as a list instead' }, ...includeDeleted, limit, all },
  exclusive: pageExclusive,
  examples: ['coven task subtree 019a8b5c', 'coven task subtree 019a8b5c --flat --all'],
  async run(context) {
    const { args, out } = context
    const page = pageOf(context)
    const options = { includeDeleted: args.has('include-deleted') }
    const prefix = await checkedPrefix(args.words[0])
    const { tasks } = await withTree(context, async (tree) =>
      tree.subtreeList(await idOf(tree, prefix), options),
    )
    const branches = cutTree(tasks, page.limit)
    const shown = branches.map(({ task }) => task)
    const { nestedSubtree } = await library()
    const columns = await out.columns()
    const isFlat = args.has('flat')
    out.answer({
      kind: isFlat ? 'task.list' : 'task.tree',
      data: isFlat ? shown : await nestedSubtree(tasks.slice(0, page.limit)),
      total: tasks.length,
      shown: shown.length,
      lines: isFlat ? await taskRows(shown, columns) : await drawnTree(branches, columns),
    })
  },
}
