import { type Plans, parseStatus, type Status } from '../../plan/internal.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { fittedRows } from '../program/display-width.ts'
import { listExclusive, listMax, listOptions, maxOf } from './options.ts'
import { taskLines } from './plan-text.ts'
import { withPlans } from './plans.ts'
import { selection } from './selection.ts'
import { sessionHere } from './session.ts'
import { statusOption } from './status-option.ts'
import { taskAdd } from './task-add.ts'
import { taskUpdate } from './task-update.ts'
import { firstLine } from './text.ts'

export const tasks: Command = {
  name: 't',
  aliases: ['task'],
  about: 'list tasks; "np t a" adds some, "np t u" changes some',
  options: { status: { ...statusOption, about: 'only those with this status' }, ...listOptions },
  exclusive: listExclusive,
  examples: ['np t -s pending'],
  commands: [taskAdd, taskUpdate],
  async run(context) {
    const { out } = context
    const max = maxOf(context, listMax)
    const status = statusOf(context)
    const found = await withPlans(context, (plans) => tasksOf(context, plans, status))
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

async function tasksOf(context: Context, plans: Plans, status: Status | undefined) {
  const { sid } = await sessionHere(context, plans)
  return status === undefined ? (await plans.plan(sid)).tasks : plans.tasks(sid, status)
}
