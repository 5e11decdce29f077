import { NoGoalError } from '../../plan/internal.ts'
import type { Command } from '../program/command.ts'
import { goalSet } from './goal-set.ts'
import { goalUpdate } from './goal-update.ts'
import { goalLines } from './plan-text.ts'
import { withPlans } from './plans.ts'
import { sessionHere } from './session.ts'

export const goal: Command = {
  name: 'g',
  aliases: ['goal'],
  about: 'show the goal; "np g s" sets it, "np g u" changes it',
  commands: [goalSet, goalUpdate],
  async run(context) {
    const found = await withPlans(context, async (plans) =>
      plans.goal((await sessionHere(context, plans)).sid),
    )
    if (found === null) throw new NoGoalError('not_found')
    context.out.answer({ kind: 'goal', data: found, lines: goalLines(found) })
  },
}
