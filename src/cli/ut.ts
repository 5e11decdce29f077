import type { Program } from './program/command.ts'
import { completion } from './program/completion.ts'
import { start as startProgram } from './start.ts'
import { add } from './ut/add.ts'
import { done } from './ut/done.ts'
import { edit } from './ut/edit.ts'
import { ls } from './ut/ls.ts'
import { rebuildIndex } from './ut/rebuild-index.ts'
import { rm } from './ut/rm.ts'
import { show } from './ut/show.ts'
import { tags } from './ut/tags.ts'
import { undone } from './ut/undone.ts'

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
