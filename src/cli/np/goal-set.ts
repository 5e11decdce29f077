import type { Command } from '../program/command.ts'
import { makeChange } from './change.ts'
import { allOption, wordOptions } from './options.ts'
import { readTexts, wordsOfOne } from './words.ts'

export const goalSet: Command = {
  name: 's',
  aliases: ['set'],
  about: 'set the goal, once',
  options: { ...wordOptions, all: allOption },
  examples: ['np g s -t "Ship the parser" -d "Done when the suite passes"'],
  async run(context) {
    const { title, description } = wordsOfOne(context, await readTexts(context))
    if (title === undefined) throw context.usageError('There is no title.', 'Give -t TITLE.')
    await makeChange(context, { kind: 'set-goal', words: { title, description } }, undefined)
  },
}
