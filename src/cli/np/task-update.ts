import type { TaskChange } from '../../plan/internal.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { makeChange } from './change.ts'
import { allOption, reasonOption, wordOptions } from './options.ts'
import { statusOption } from './status-option.ts'
import { readTexts, type Texts, wordsOfOne } from './words.ts'

export const taskUpdate: Command = {
  name: 'u',
  aliases: ['update'],
  about: 'change the status or the words of tasks',
  details:
    'Repeat -i and -s for several tasks, at most 200; one -s goes for all. They are changed all or none. New words, failed and cancelled need a reason.',
  options: {
    id: { short: 'i', value: 'ID', isMany: true, about: 'a task, by its id' },
    status: { ...statusOption, isMany: true },
    ...wordOptions,
    reason: reasonOption,
    all: allOption,
  },
  examples: [
    'np t u -i a1b2c3 -s in_progress',
    'np t u -i a1b2c3 -s completed -i d4e5f6 -s in_progress',
    'np t u -i a1b2c3 -s failed -r "the fixture is missing"',
  ],
  async run(context) {
    const texts = await readTexts(context)
    const tasks = changesOf(context, texts)
    await makeChange(context, { kind: 'update-tasks', tasks }, texts.reason)
  },
}

function changesOf(context: Context, texts: Texts): TaskChange[] {
  const ids = context.args.values('id')
  const statuses = context.args.values('status')
  const { title, description } = wordsOfOne(context, texts)
  const hasWords = title !== undefined || description !== undefined
  if (ids.length === 0) throw context.usageError('No task was named.', 'Give -i ID.')
  if (statuses.length === 0 && !hasWords)
    throw context.usageError('There is nothing to change.', 'Give -s, -t, -d or --file.')
  if (hasWords && ids.length > 1)
    throw context.usageError(
      'Title and description belong to one task.',
      'Change the words of several tasks one by one.',
    )
  if (statuses.length > 1 && statuses.length !== ids.length)
    throw context.usageError(
      `There are ${ids.length} ids and ${statuses.length} statuses.`,
      'Give one -s for each -i, or one for all.',
    )
  return ids.map((id, at) => ({ id, status: statuses[at] ?? statuses[0], title, description }))
}
