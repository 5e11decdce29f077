import type { Command } from '../program/command.ts'
import { listExclusive, listOptions, maxOf, planMax } from './options.ts'
import { withPlans } from './plans.ts'
import { checkSessionArgument, sessionArgument, sessionOf } from './session.ts'
import { planAnswer } from './show-plan.ts'

export const print: Command = {
  name: 'p',
  aliases: ['plan'],
  about: 'print the plan',
  details: `Of more than ${planMax} tasks it prints those in progress, those pending, and the newest of the rest.`,
  arguments: [sessionArgument],
  options: listOptions,
  exclusive: listExclusive,
  async run(context) {
    checkSessionArgument(context)
    maxOf(context, planMax)
    const plan = await withPlans(context, async (plans) =>
      plans.plan((await sessionOf(context, plans)).sid),
    )
    context.out.answer(planAnswer(context, plan))
  },
}
