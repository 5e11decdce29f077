import type { Command } from '../../program/command.ts'
import { readNote } from '../texts.ts'
import { verb } from './verb.ts'

export const complete: Command = verb({
  name: 'complete',
  about: 'finish a task that you have claimed; it then waits to be merged',
  options: {
    summary: { value: 'TEXT', about: 'what was done, for the history; - reads stdin' },
    'skip-review': { about: 'close it at once' },
  },
  needsAgent: true,
  async prepare(context) {
    const note = await readNote(context, 'summary')
    const skip_review = context.args.has('skip-review')
    return (tree, id, by) => tree.complete(id, by, { ...note, skip_review })
  },
  line: ({ id, status }) => `Completed task ${id} (status: ${status})`,
})
