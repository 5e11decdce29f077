import type { Command } from '../program/command.ts'
import { withTasks } from './tasks.ts'

export const rebuildIndex: Command = {
  name: 'rebuild-index',
  about: 'bring the lists of tags to what the tasks say',
  examples: ['ut rebuild-index'],
  async run(context) {
    const { out } = context
    const report = await withTasks(context, (list) => list.rebuildIndex())
    const { tasks, tags, added, removed, corrupt } = report
    const counts = [`${tasks} tasks`, `${tags} tags`, `${added} added`, `${removed} removed`]
    if (corrupt.length > 0) counts.push(`${corrupt.length} corrupt`)
    for (const id of corrupt) out.warn(`The task ${id} is corrupt, and its tags were left alone.`)
    out.confirm({
      kind: 'repair',
      data: { tasks, tags, added, removed, corrupt },
      lines: [`Index rebuilt: ${counts.join(', ')}.`],
    })
  },
}
