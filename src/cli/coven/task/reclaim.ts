import type { Command } from '../../program/command.ts'
import { verb } from './verb.ts'

export const reclaim: Command = verb({
  name: 'reclaim',
  about: 'make sure that you still have a task; changes nothing',
  needsAgent: true,
  prepare: () => (tree, id, by) => tree.reclaim(id, by),
  line: ({ id }) => `Reclaimed task ${id}`,
  note: ({ grimoire }) => `grimoire: ${grimoire}`,
})
