import type { Command } from '../program/command.ts'
import { matchedId } from './row.ts'
import { setDone } from './set-done.ts'

export const done: Command = {
  name: 'done',
  about: 'mark tasks as done',
  arguments: [{ name: 'PREFIX', about: 'the first digits of an id', isMany: true }],
  examples: ['ut done 2f8c8a3c', 'ut done 2f8c 9a01'],
  run: (context) =>
    setDone(context, {
      done: true,
      already: 'already done',
      linesOf: async (tasks) => tasks.map(({ id }) => `OK (matched id ${matchedId(id)})`),
    }),
}
