import type { Command } from '../../program/command.ts'
import { verb } from './verb.ts'

export const release: Command = verb({
  name: 'release',
  about: 'give a task back that you have claimed',
  options: { force: { about: 'also one that another agent has claimed' } },
  needsAgent: true,
  prepare: ({ args }) => {
    const force = args.has('force')
    return (tree, id, by) => tree.release(id, by, { force })
  },
  line: ({ id }) => `Released task ${id}`,
})
