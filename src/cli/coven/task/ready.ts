import type { Command } from '../../program/command.ts'
import { answerList, pageExclusive, pageOptions, queryOf, readyFilters } from '../query.ts'
import { withTree } from '../tree.ts'

export const ready: Command = {
  name: 'ready',
  about: 'list what can be started now, the most urgent first',
  details:
    'A task can be started when it is open, all its children are closed, and none of its ancestors is blocked or closed. By priority, then by age.',
  options: { ...readyFilters, ...pageOptions },
  exclusive: pageExclusive,
  examples: ['coven task ready --limit 1', 'coven task ready --type bug --priority 0,1'],
  async run(context) {
    const query = await queryOf(context)
    // Whoever wants quiet is not told how many there are, and need not wait for the count.
    const withTotal = context.out.isJson || !context.args.has('quiet')
    const { tasks, total } = await withTree(context, async (tree) =>
      tree.ready(await query(tree), { withTotal }),
    )
    await answerList(context, tasks, total ?? tasks.length)
  },
}
