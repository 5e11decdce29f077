import type { TaskWords } from '../../plan/internal.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { makeChange } from './change.ts'
import { allOption, wordOptions } from './options.ts'
import { readTexts, type Texts } from './words.ts'

export const taskAdd: Command = {
  name: 'a',
  aliases: ['add'],
  about: 'add tasks, in the order given',
  details:
    'Repeat -t and -d for several tasks, at most 300; they are added all or none. A task that is already there, with the same title and description, is not added again.',
  options: {
    title: { ...wordOptions.title, isMany: true },
    description: { ...wordOptions.description, isMany: true },
    file: { ...wordOptions.file, isMany: true },
    all: allOption,
  },
  examples: [
    'np t a -t "Write the grammar" -d "EBNF, in docs/grammar.md"',
    'np t a -t "Write tests" -d "" -t "Write docs" -d "README only"',
  ],
  async run(context) {
    const tasks = paired(context, await readTexts(context))
    await makeChange(context, { kind: 'add-tasks', tasks }, undefined)
  },
}

/** Titles and descriptions belong together by their order; where there is no description, all are empty. */
function paired(context: Context, { titles, descriptions }: Texts): TaskWords[] {
  if (titles.length === 0)
    throw context.usageError('There is no title.', 'Give -t TITLE, and -d for its description.')
  if (descriptions.length > 0 && descriptions.length !== titles.length)
    throw context.usageError(
      `There are ${titles.length} titles and ${descriptions.length} descriptions.`,
      'Give one -d for each -t, or none at all; -d "" is an empty one.',
    )
  return titles.map((title, at) => ({ title, description: descriptions[at] }))
}
