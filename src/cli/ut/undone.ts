import type { Command } from '../program/command.ts'
import { rowsOf } from './row.ts'
import { setDone } from './set-done.ts'

export const undone: Command = {
  name: 'undone',
  about: 'mark tasks as not done after all',
  arguments: [{ name: 'PREFIX', about: 'the first digits of an id', isMany: true }],
  examples: ['ut undone 2f8c8a3c'],
  run: (context) => setDone(context, { done: false, already: 'already open', linesOf: rowsOf }),
}
