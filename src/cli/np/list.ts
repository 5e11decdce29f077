import type { Command } from '../program/command.ts'
import { listExclusive, listMax, listOptions, maxOf } from './options.ts'
import { withPlans } from './plans.ts'
import { sessionRows } from './session-row.ts'

export const list: Command = {
  name: 'l',
  aliases: ['list'],
  about: 'list sessions: active ones, then archived ones, newest first',
  details: 'Each with its id, state, last change, directory and goal.',
  options: listOptions,
  exclusive: listExclusive,
  async run(context) {
    const { out } = context
    const max = maxOf(context, listMax)
    const { sessions, total } = await withPlans(context, (plans) => plans.list(max))
    out.answer({
      kind: 'session.list',
      data: sessions.map(({ session, goal }) => ({ ...session, goal })),
      total,
      lines: await sessionRows(sessions, await out.columns()),
    })
    if (total === 0 && !out.isJson) out.note("No sessions. Start one with 'np s'.")
  },
}
