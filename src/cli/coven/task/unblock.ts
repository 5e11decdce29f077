import type { Command } from '../../program/command.ts'
import { verb } from './verb.ts'

export const unblock: Command = verb({
  name: 'unblock',
  about: 'open a blocked task again',
  prepare: () => (tree, id, by) => tree.unblock(id, by),
  line: ({ id, status }) => `Unblocked task ${id} (status: ${status})`,
})
