import type { Command } from '../../program/command.ts'
import { readNote, reasonOption } from '../texts.ts'
import { verb } from './verb.ts'

export const block: Command = verb({
  name: 'block',
  about: 'give up a task that you have claimed, until somebody helps',
  options: reasonOption,
  needsAgent: true,
  async prepare(context) {
    const note = await readNote(context, 'reason')
    return (tree, id, by) => tree.block(id, by, note)
  },
  line: ({ id, status }) => `Blocked task ${id} (status: ${status})`,
})
