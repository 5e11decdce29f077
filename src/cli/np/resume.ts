import type { Command } from '../program/command.ts'
import { planAndLog } from './events.ts'
import { sessionArgument } from './session.ts'
import { nextLines } from './show-plan.ts'
import { charactersMax, eventsMax, fitted, leftOutText } from './summary.ts'

export const resume: Command = {
  name: 'r',
  aliases: ['resume'],
  about: 'resume: the plan and what happened last, in short',
  details: `At most ${charactersMax} characters, whatever the size of the plan; it says what it leaves out.`,
  arguments: [sessionArgument],
  async run(context) {
    const { out } = context
    const { plan, log } = await planAndLog(context, eventsMax)
    const named = context.args.words.length === 0 ? '' : ` ${plan.session.sid}`
    const next = nextLines(context, plan)
    out.answer(fitted(plan, log, { isJson: out.isJson, tellMissing: leftOutText(named), next }))
  },
}
