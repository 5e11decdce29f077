import type { Argument, Command } from '../../program/command.ts'
import { agentOption } from '../agent.ts'
import { isConfirmed, yesOption } from '../confirmation.ts'
import { readNote, reasonOption } from '../texts.ts'
import { library } from '../tree.ts'
import { priorities, splitTags } from '../words.ts'
import { runBulk } from './bulk-run.ts'

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
      idle: { status: 'closed', line: (id) => `Task ${id} is already closed` },
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
      confirm: () => isConfirmed(context, async () => question),
    })
  },
}

const tag: Command = {
  name: 'tag',
  about: 'add tags to tasks, or take them away',
  arguments: [{ name: 'TAGS', about: 'tags, as a,b' }, idsArgument],
  options: { remove: { about: 'take them away' }, ...agentOption },
  examples: ['coven task bulk tag urgent,docs 019a8b5c 019a8b60'],
  async run(context) {
    const [given = '', ...ids] = context.args.words
    const { checkTags } = await library()
    const tags = checkTags(splitTags(given))
    const isRemoval = context.args.has('remove')
    await runBulk(context, ids, {
      request: { action: isRemoval ? 'remove_tags' : 'add_tags', tags },
      line: (id) => `${isRemoval ? 'Untagged' : 'Tagged'} task ${id}`,
    })
  },
}

const priority: Command = {
  name: 'priority',
  about: 'set the priority of tasks',
  arguments: [{ name: 'N', about: '0, the most urgent, to 4' }, idsArgument],
  options: agentOption,
  examples: ['coven task bulk priority 0 019a8b5c 019a8b60'],
  async run(context) {
    const [given = '', ...ids] = context.args.words
    if (!priorities.some((each) => each === given))
      throw context.usageError(
        `"${given.slice(0, 40)}" is no priority.`,
        'Give 0, the most urgent, to 4.',
      )
    await runBulk(context, ids, {
      request: { action: 'set_priority', priority: Number(given) },
      line: (id) => `Set task ${id} to priority ${given}`,
    })
  },
}

export const bulk: Command = {
  name: 'bulk',
  about: 'do the same to many tasks',
  details: 'What one task refuses does not keep the others from it.',
  commands: [close, deleteAll, tag, priority],
}
