import type { Command } from '../../program/command.ts'
import { verb } from './verb.ts'

export const restore: Command = verb({
  name: 'restore',
  about: 'bring back a task that retention has deleted',
  details: '"coven task list --include-deleted" shows them. What "coven task delete" took is gone.',
  prepare: () => (tree, id, by) => tree.restore(id, by),
  line: ({ id }) => `Restored task ${id}`,
  idle: ({ id }) => `Task ${id} is already there`,
})
