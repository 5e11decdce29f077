import type { Command } from '../program/command.ts'
import { planAndLog } from './events.ts'
import { markdownOf } from './markdown.ts'
import { sessionArgument } from './session.ts'

export const exportPlan: Command = {
  name: 'x',
  aliases: ['export'],
  about: 'export the plan and its whole log as Markdown',
  arguments: [sessionArgument],
  examples: ['np x > plan.md', 'np x --json > plan.json'],
  async run(context) {
    const { out } = context
    const { plan, log } = await planAndLog(context)
    out.answer({
      kind: 'plan',
      data: { ...plan, events: log.events },
      lines: out.isJson ? [] : markdownOf(plan, log.events),
      isDocument: true,
    })
  },
}
