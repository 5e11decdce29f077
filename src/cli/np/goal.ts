import { NoGoalError } from '../../plan/internal.ts'
import type { Command } from '../program/command.ts'
import { changeCommand } from './change.ts'
import { reasonOption, wordOptions, wordsOfOne } from './options.ts'
import { withSession } from './plans.ts'
import { goalLines } from './text.ts'

const goalSet = changeCommand({
  name: 's',
  aliases: ['set'],
  about: 'set the goal, once',
  options: wordOptions,
  examples: ['np g s -t "Ship the parser" -d "Done when the suite passes"'],
  changeOf(context, texts) {
    const { title, description } = wordsOfOne(context, texts)
    if (title === undefined) throw context.usageError('There is no title.', 'Give -t TITLE.')
    return { kind: 'set-goal', words: { title, description } }
  },
})

const goalUpdate = changeCommand({
  name: 'u',
  aliases: ['update'],
  about: 'change the goal, with a reason',
  options: { ...wordOptions, reason: reasonOption },
  examples: ['np g u -t "Ship the parser without macros" -r "macros need a new lexer"'],
  changeOf(context, texts) {
    const words = wordsOfOne(context, texts)
    if (words.title === undefined && words.description === undefined)
      throw context.usageError('There is nothing to change.', 'Give -t, -d or --file.')
    return { kind: 'update-goal', words }
  },
})

export const goal: Command = {
  name: 'g',
  aliases: ['goal'],
  about: 'show the goal; "np g s" sets it, "np g u" changes it',
  commands: [goalSet, goalUpdate],
  async run(context) {
    const found = await withSession(context, (plans, sid) => plans.goal(sid))
    if (found === null) throw new NoGoalError('not_found')
    context.out.answer({ kind: 'goal', data: found, lines: goalLines(found) })
  },
}
