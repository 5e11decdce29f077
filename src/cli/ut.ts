import type { Program } from './program/command.ts'
import { completion } from './program/completion.ts'
import { start as startProgram } from './start.ts'
import { ls, show, tags } from './ut/read.ts'
import { add, done, edit, rebuildIndex, rm, undone } from './ut/write.ts'

export const ut: Program = {
  name: 'ut',
  about: 'a small list of tasks with tags, on any store.',
  commands: [add, ls, done, undone, edit, show, rm, tags, rebuildIndex, completion],
  bare: { words: ['ls', '--open'], about: 'lists what is still to be done' },
  starter: 'ut add TEXT',
  examples: [
    'ut add "Buy milk" -t errand -t shopping',
    'ut ls --any errand,work --open',
    'ut done 2f8c8a3c',
  ],
}

export const start = (): Promise<void> => startProgram(ut)
