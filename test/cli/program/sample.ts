import type { Program } from '../../../src/cli/program/command.ts'
import { completion } from '../../../src/cli/program/completion.ts'
import { limitOf, limitOption } from '../../../src/cli/program/option-value.ts'

/** A program with a bit of everything; its commands answer with what they were given. */
export const sample: Program = {
  name: 'sam',
  about: 'a program for tests.',
  commands: [
    {
      name: 'put',
      about: 'put something',
      arguments: [
        { name: 'PLACE', about: 'where to' },
        { name: 'THING', about: 'what to put', isMany: true, isOptional: true },
      ],
      options: {
        title: { short: 't', value: 'TITLE', isMany: true, about: 'a title' },
        details: { short: 'd', value: 'TEXT', isMany: true, about: "a thing's details" },
        colour: { value: 'NAME', choices: ['red', 'green'], about: 'its colour' },
        file: { value: 'PATH', aliases: ['path'], about: 'read a file', completes: 'files' },
        fast: { short: 'f', aliases: ['quick'], about: 'put it fast' },
        slow: { about: 'put it slowly' },
      },
      exclusive: [['fast', 'slow']],
      examples: ['sam put here a b'],
      async run({ args, out }) {
        const { words, ordered } = args
        out.answer({ kind: 'put', data: { words, ordered }, lines: [words.join('|')] })
      },
    },
    {
      name: 'goal',
      aliases: ['aim'],
      about: 'show the goal',
      run: async ({ out }) => out.answer({ kind: 'goal', data: {}, lines: ['goal'] }),
      commands: [
        {
          name: 'set',
          aliases: ['define'],
          about: 'set the goal',
          options: { title: { short: 't', value: 'TITLE', about: 'the title' } },
          run: async ({ args, out }) =>
            out.confirm({ kind: 'goal', data: {}, lines: [`set ${args.value('title')}`] }),
        },
      ],
    },
    {
      name: 'group',
      about: 'commands of a group',
      commands: [
        { name: 'one', about: 'the one', run: async ({ out }) => out.say('one') },
        { name: 'two', about: 'the other', run: async ({ out }) => out.say('two') },
      ],
    },
    {
      name: 'list',
      about: 'list numbers',
      options: { limit: limitOption },
      async run(context) {
        const all = Array.from({ length: 47 }, (_, at) => at)
        const data = all.slice(0, limitOf(context))
        context.out.answer({ kind: 'number.list', data, total: 47, lines: data.map(String) })
      },
    },
    {
      name: 'fail',
      about: 'fail in some way',
      run: async () => {
        throw new TypeError('two\n  lines \u001b[31m')
      },
    },
    {
      name: 'code',
      about: 'end with 6',
      run: async (context) => {
        context.exitCode = 6
      },
    },
    completion,
  ],
  examples: ['sam put here'],
}
