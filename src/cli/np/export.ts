import type { Command } from '../program/command.ts'
import { readable } from './events.ts'
import { markdownOf } from './markdown.ts'
import { withPlans } from './plans.ts'
import { checkSessionArgument, sessionArgument, sessionOf } from './session.ts'

export const exportPlan: Command = {
  name: 'x',
  about: 'export the plan and its whole log as Markdown',
  arguments: [sessionArgument],
  examples: ['np x > plan.md', 'np x --json > plan.json'],
  async run(context) {
    const { out } = context
    checkSessionArgument(context)
    const { plan, log } = await withPlans(context, async (plans) => {
      const { sid } = await sessionOf(context, plans)
      const plan = await plans.plan(sid)
      return { plan, log: readable(context, sid, (await plans.events(sid)).events) }
    })
    out.answer({
      kind: 'plan',
      data: { ...plan, events: log },
      lines: out.isJson ? [] : markdownOf(plan, log),
    })
  },
}
