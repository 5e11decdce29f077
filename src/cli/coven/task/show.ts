import type { Task } from '../../../tree/internal.ts'
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

/** In the order in which a person asks; the body comes last, for it may be long. */
const fields = [
  'id',
  'title',
  'type',
  'status',
  'priority',
  'parent_id',
  'depth',
  'claimed_by',
  'claimed_at',
  'grimoire_hint',
  'grimoire',
  'tags',
  'created_at',
  'updated_at',
  'deleted_at',
  'body',
] as const satisfies readonly (keyof Task)[]

/** What is empty is left out. */
function linesOf(task: Task): string[] {
  return fields.flatMap((name) => {
    const value = task[name] === null ? '' : String(task[name])
    return value === '' ? [] : fieldLines(name, value)
  })
}
