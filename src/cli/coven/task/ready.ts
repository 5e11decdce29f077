import type { Command } from '../../program/command.ts'
import { answerList, pageExclusive, pageOptions, queryOf, readyFilters } from '../query.ts'
import { withTree } from '../tree.ts'

export const ready: Command = {
  name: 'ready',
  about: 'list what can be claimed, the most urgent first',
  details:
    'That is what is open and has nothing below it that somebody works on; by priority, then by age.',
  options: { ...readyFilters, ...pageOptions },
  exclusive: pageExclusive,
  examples: ['coven task ready --limit 1', 'coven task ready --type bug --priority 0,1'],
  async run(context) {
    const query = await queryOf(context)
    const { tasks, total } = await withTree(context, async (tree) =>
      tree.ready(await query(tree), { withTotal: true }),
    )
    await answerList(context, tasks, total ?? tasks.length)
  },
}
