import type { Status, TaskPatch, TaskType } from '../../../tree/internal.ts'
import type { Command } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { claimerOf } from '../agent.ts'
import { grimoireSelection } from '../grimoire.ts'
import { fileOption, readNote, readTexts, reasonOption } from '../texts.ts'
import { library } from '../tree.ts'
import { priorities, statuses, types } from '../words.ts'
import { verb } from './verb.ts'

const fields = ['title', 'body', 'file', 'type', 'priority', 'grimoire'] as const

export const update: Command = verb({
  name: 'update',
  about: 'change the words, type, priority or status of a task',
  details:
    "A status is reached by the verb that leads there (in_progress is a claim, closed an approval, …), under the same rules. It can't be given together with other changes.",
  options: {
    title: { value: 'TITLE', about: 'the new title; - reads stdin' },
    body: { value: 'TEXT', about: 'the new body, "" for none; - reads stdin' },
    file: fileOption,
    type: { value: 'TYPE', about: 'the new type', choices: types },
    priority: { value: 'N', about: 'the new priority', choices: priorities },
    grimoire: { value: 'NAME', about: 'the new grimoire, "" for none' },
    status: { value: 'STATUS', about: 'the new status', choices: statuses },
    ...reasonOption,
  },
  exclusive: [['body', 'file'], ...fields.map((field) => ['status', field])],
  examples: [
    'coven task update 019a8b5c --priority 0 --title "Tag it today"',
    'coven task update 019a8b5c --status closed --reason "done elsewhere"',
  ],
  tree: async (context) =>
    context.args.value('status') === 'in_progress' ? grimoireSelection(context) : {},
  async prepare(context) {
    const { args } = context
    const status = args.value('status') as Status | undefined
    if (args.has('reason') && status === undefined)
      throw context.usageError('--reason goes with --status.', 'Give both, or neither.')
    if (status === undefined) {
      const patch = await givenPatch(context)
      return (tree, id, by) => tree.update(id, patch, by)
    }
    if (status === 'in_progress') await claimerOf(context)
    const note = await readNote(context, 'reason')
    return (tree, id, by) => tree.setStatus(id, status, by, note)
  },
  line: ({ id, status }, { args }) =>
    `Updated task ${id}${args.has('status') ? ` (status: ${status})` : ''}`,
  idle: ({ id, status }, { args }) => `Task ${id} is already ${args.has('status') ? status : 'so'}`,
})

async function givenPatch(context: Context): Promise<TaskPatch> {
  const { args } = context
  if (!fields.some((field) => args.has(field)))
    throw context.usageError(
      'There is nothing to change.',
      'Give --title, --body, --file, --type, --priority, --grimoire or --status.',
    )
  const priority = args.value('priority')
  const { checkPatch } = await library()
  return checkPatch({
    ...(await readTexts(context, ['title', 'body'])),
    type: args.value('type') as TaskType | undefined,
    priority: priority === undefined ? undefined : Number(priority),
    grimoire_hint: args.value('grimoire'),
  })
}
