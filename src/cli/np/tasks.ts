import { parseStatus, type Status, type TaskChange, type TaskWords } from '../../plan/internal.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { fittedRows } from '../program/display-width.ts'
import { maxOf, pageExclusive, pageOptions } from '../program/option-value.ts'
import { changeCommand } from './change.ts'
import { reasonOption, statusOption, type Texts, wordOptions, wordsOfOne } from './options.ts'
import { withSession } from './plans.ts'
import { firstLine, selection, taskLines } from './text.ts'

const taskAdd = changeCommand({
  name: 'a',
  aliases: ['add'],
  about: 'add tasks, in the order given',
  details:
    'Repeat -t and -d for several tasks, at most 300; they are added all or none. A task that is already there, with the same title and description, is not added again.',
  options: {
    title: { ...wordOptions.title, isMany: true },
    description: { ...wordOptions.description, isMany: true },
    file: { ...wordOptions.file, isMany: true },
  },
  examples: [
    'np t a -t "Write the grammar" -d "EBNF, in docs/grammar.md"',
    'np t a -t "Write tests" -d "" -t "Write docs" -d "README only"',
  ],
  changeOf: (context, texts) => ({ kind: 'add-tasks', tasks: paired(context, texts) }),
})

/** Titles and descriptions belong together by their order; where there is no description, all are empty. */
function paired(context: Context, { titles, descriptions }: Texts): TaskWords[] {
  if (titles.length === 0)
    throw context.usageError('There is no title.', 'Give -t TITLE, and -d for its description.')
  if (descriptions.length > 0 && descriptions.length !== titles.length)
    throw context.usageError(
      `There are ${titles.length} titles and ${descriptions.length} descriptions.`,
      'Give one -d for each -t, or none at all; -d "" is an empty one.',
    )
  return titles.map((title, at) => ({ title, description: descriptions[at] }))
}

const taskUpdate = changeCommand({
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
  },
  examples: [
    'np t u -i a1b2c3 -s in_progress',
    'np t u -i a1b2c3 -s completed -i d4e5f6 -s in_progress',
    'np t u -i a1b2c3 -s failed -r "the fixture is missing"',
  ],
  changeOf: (context, texts) => ({ kind: 'update-tasks', tasks: changesOf(context, texts) }),
})

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

export const tasks: Command = {
  name: 't',
  aliases: ['task'],
  about: 'list tasks; "np t a" adds some, "np t u" changes some',
  options: { status: { ...statusOption, about: 'only those with this status' }, ...pageOptions() },
  exclusive: pageExclusive,
  examples: ['np t -s pending'],
  commands: [taskAdd, taskUpdate],
  async run(context) {
    const { out } = context
    const max = maxOf(context)
    const status = statusOf(context)
    const found = await withSession(context, async (plans, sid) =>
      status === undefined ? (await plans.plan(sid)).tasks : plans.tasks(sid, status),
    )
    const { shown } = selection(found, max)
    const lines = shown.flatMap((task) =>
      taskLines({ ...task, description: firstLine(task.description) }),
    )
    out.answer({
      kind: 'task.list',
      data: shown,
      total: found.length,
      lines: await fittedRows(lines, await out.columns()),
    })
    if (found.length === 0 && !out.isJson)
      out.note(status ? `No task is ${status}.` : 'No tasks yet.')
  },
}

function statusOf({ args }: Context): Status | undefined {
  const given = args.value('status')
  return given === undefined ? undefined : parseStatus(given)
}
