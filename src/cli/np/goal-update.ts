import type { Command } from '../program/command.ts'
import { makeChange } from './change.ts'
import { allOption, reasonOption, wordOptions } from './options.ts'
import { readTexts, wordsOfOne } from './words.ts'

export const goalUpdate: Command = {
  name: 'u',
  aliases: ['update'],
  about: 'change the goal, with a reason',
  options: { ...wordOptions, reason: reasonOption, all: allOption },
  examples: ['np g u -t "Ship the parser without macros" -r "macros need a new lexer"'],
  async run(context) {
    const texts = await readTexts(context)
    const words = wordsOfOne(context, texts)
    if (words.title === undefined && words.description === undefined)
      throw context.usageError('There is nothing to change.', 'Give -t, -d or --file.')
    await makeChange(context, { kind: 'update-goal', words }, texts.reason)
  },
}
