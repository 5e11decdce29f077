import type { Task } from '../../../tree/index.ts'
import type { Command } from '../../program/command.ts'
import { fieldLines } from '../../program/field-lines.ts'
import { checkedPrefix, idArgument, idOf, withTree } from '../tree.ts'

export const show: Command = {
  name: 'show',
  about: 'show a task with all that is known of it',
  arguments: [idArgument],
  examples: ['coven task show 019a8b5c'],
  async run(context) {
    const prefix = await checkedPrefix(context.args.words[0])
    const task = await withTree(context, async (tree) => tree.get(await idOf(tree, prefix)))
    context.out.answer({ kind: 'task', data: task, lines: linesOf(task) })
  },
}

/** What is empty is left out; the body comes last, for it may be long. */
function linesOf({ body, tags, ...task }: Task): string[] {
  const fields = { ...task, tags: tags.join(','), body }
  return Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === '' ? [] : fieldLines(name, String(value)),
  )
}
