import type { Command } from '../../program/command.ts'
import { readNote, reasonOption } from '../texts.ts'
import { verb } from './verb.ts'

export const reject: Command = verb({
  name: 'reject',
  about: 'send a completed task back; it is blocked then',
  options: reasonOption,
  async prepare(context) {
    const note = await readNote(context, 'reason')
    return (tree, id, by) => tree.reject(id, by, note)
  },
  line: ({ id, status }) => `Rejected task ${id} (status: ${status})`,
})
