import type { Command } from '../../program/command.ts'
import { answerList, filters, pageExclusive, pageOptions, queryOf } from '../query.ts'
import { withTree } from '../tree.ts'

export const list: Command = {
  name: 'list',
  about: 'list tasks, oldest first',
  details:
    'A task is listed if all conditions hold; of values with commas between them, one is enough.',
  options: { ...filters, ...pageOptions },
  exclusive: pageExclusive,
  examples: [
    'coven task list --status open,blocked --priority 0,1',
    "coven task list --tag-pattern 'area/**' --all",
    'coven task list --claimed-by agent-7 --json',
  ],
  async run(context) {
    const query = await queryOf(context)
    const { tasks, total } = await withTree(context, async (tree) => tree.list(await query(tree)))
    await answerList(context, tasks, total)
  },
}
