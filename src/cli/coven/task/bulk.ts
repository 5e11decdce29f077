import type { Argument, Command } from '../../program/command.ts'
import { isConfirmed, yesOption } from '../../program/confirmation.ts'
import type { Context } from '../../program/context.ts'
import { typed } from '../../program/typed.ts'
import { agentOption } from '../agent.ts'
import { readNote, reasonOption } from '../texts.ts'
import { idLength, library } from '../tree.ts'
import { priorities, splitTags } from '../words.ts'
import { runBulk } from './bulk-run.ts'
import { declined } from './delete.ts'

const idsArgument: Argument = {
  name: 'ID',
  about: 'tasks, by their ids or the starts of them',
  isMany: true,
}

const close: Command = {
  name: 'close',
  about: 'close tasks: completed, blocked, or claimed by you',
  arguments: [idsArgument],
  options: { ...reasonOption, ...agentOption },
  async run(context) {
    const { reason } = await readNote(context, 'reason')
    await runBulk(context, context.args.words, {
      request: { action: 'close', reason },
      line: (id) => `Closed task ${id}`,
      idle: (id) => `Task ${id} is already closed`,
    })
  },
}

const deleteAll: Command = {
  name: 'delete',
  about: 'delete tasks, all below them, and their history',
  details: 'There is no way back. On a terminal it asks first.',
  arguments: [idsArgument],
  options: { ...yesOption, ...agentOption },
  async run(context) {
    const ids = context.args.words
    const question = `Delete ${ids.length} tasks and all below them?`
    await runBulk(context, ids, {
      request: { action: 'delete' },
      line: (id) => `Deleted task ${id}`,
      confirm: () => isConfirmed(context, async () => ({ question, declined })),
    })
  },
}

const tag: Command = {
  name: 'tag',
  about: 'add tags to tasks, or take them away',
  details: '"bulk tag TAGS ID…" means the same as "bulk tag --add TAGS ID…".',
  arguments: [{ ...idsArgument, name: '[TAGS] ID' }],
  options: {
    add: { value: 'TAGS', aliases: ['tags'], about: 'tags to add, as a,b' },
    remove: { value: 'TAGS', about: 'tags to take away' },
    ...agentOption,
  },
  exclusive: [['add', 'remove']],
  examples: [
    'coven task bulk tag urgent,docs 019a8b5c 019a8b60',
    'coven task bulk tag --remove wip 019a8b5c 019a8b60',
  ],
  async run(context) {
    const isRemoval = context.args.has('remove')
    const { value, ids } = valueAndIds(context, isRemoval ? 'remove' : 'add')
    const { checkTags } = await library()
    const tags = checkTags(splitTags(value))
    await runBulk(context, ids, {
      request: { action: isRemoval ? 'remove_tags' : 'add_tags', tags },
      line: (id) => `${isRemoval ? 'Untagged' : 'Tagged'} task ${id}`,
    })
  },
}

const priority: Command = {
  name: 'priority',
  about: 'set the priority of tasks',
  details: '"bulk priority N ID…" means the same as "bulk priority --priority N ID…".',
  arguments: [{ ...idsArgument, name: '[N] ID' }],
  options: { priority: { value: 'N', about: '0, the most urgent, to 4' }, ...agentOption },
  examples: ['coven task bulk priority 0 019a8b5c 019a8b60'],
  async run(context) {
    const { value, ids } = valueAndIds(context, 'priority')
    if (!priorities.some((each) => each === value))
      throw context.usageError(
        `"${typed(value)}" is no priority.`,
        'Give 0, the most urgent, to 4.',
      )
    await runBulk(context, ids, {
      request: { action: 'set_priority', priority: Number(value) },
      line: (id) => `Set task ${id} to priority ${value}`,
    })
  },
}

/** What to set, by its option or as the first word, and the tasks to set it on. */
function valueAndIds(context: Context, name: string): { value: string; ids: readonly string[] } {
  const { args } = context
  const given = args.value(name)
  const [first = '', ...rest] = args.words
  if (given !== undefined) return { value: given, ids: args.words }
  if (rest.length === 0 || first.length === idLength)
    throw context.usageError(`It is not said what to set on ${first}.`, `Give --${name}.`)
  return { value: first, ids: rest }
}

export const bulk: Command = {
  name: 'bulk',
  about: 'do the same to many tasks',
  details: 'What one task refuses does not keep the others from it.',
  commands: [close, deleteAll, tag, priority],
}
