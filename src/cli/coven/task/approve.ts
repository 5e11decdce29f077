import type { Command } from '../../program/command.ts'
import { verb } from './verb.ts'

export const approve: Command = verb({
  name: 'approve',
  about: 'close a completed task',
  prepare: () => (tree, id, by) => tree.approve(id, by),
  line: ({ id, status }) => `Approved task ${id} (status: ${status})`,
})
