import type { Command } from '../../program/command.ts'
import { checkedPrefix, idArgument } from '../tree.ts'
import { parentOf } from './create.ts'
import { verb } from './verb.ts'

export const reparent: Command = verb({
  name: 'reparent',
  about: 'move a task, and all below it, below another one',
  arguments: [idArgument, { name: 'PARENT', about: 'the task to move it below', isOptional: true }],
  options: { root: { about: 'to the top instead' } },
  examples: ['coven task reparent 019a8b5c 019a8b50', 'coven task reparent 019a8b5c --root'],
  async prepare(context) {
    const { args } = context
    const given = args.words[1]
    if ((given === undefined) !== args.has('root'))
      throw context.usageError(
        given === undefined ? 'It is not said where to.' : 'Two places were given.',
        'Give either PARENT or --root.',
      )
    const prefix = given === undefined ? null : await checkedPrefix(given)
    return async (tree, id, by) =>
      tree.reparent(id, prefix === null ? null : await parentOf(tree, prefix), by)
  },
  line: ({ id, parent_id }) =>
    parent_id === null ? `Moved task ${id} to the top` : `Moved task ${id} below ${parent_id}`,
  idle: ({ id, parent_id }) =>
    `Task ${id} is already ${parent_id === null ? 'at the top' : `below ${parent_id}`}`,
})
