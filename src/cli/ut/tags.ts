import type { Command } from '../program/command.ts'
import { columnWidth, displayWidths } from '../program/display-width.ts'
import { oneLine } from '../program/printable.ts'
import { withTasks } from './tasks.ts'

export const tags: Command = {
  name: 'tags',
  about: 'list all tags, and how many tasks have each',
  examples: ['ut tags'],
  async run(context) {
    const { out } = context
    const counts = await withTasks(context, (list) => list.tags())
    const names = counts.map(({ tag }) => oneLine(tag))
    const widths = await displayWidths(names)
    // Columns are for the eye; whoever takes the lines apart gets two spaces.
    const columns = (await out.isForEyes()) ? columnWidth(widths) : 0
    const padding = (at: number) => ' '.repeat(Math.max(0, columns - (widths[at] as number)))
    out.answer({
      kind: 'tag.list',
      data: counts.map(({ tag, count }) => ({ tag, count })),
      lines: counts.map(({ count }, at) => `${names[at]}${padding(at)}  ${count}`),
    })
    if (counts.length === 0 && (await out.isForEyes())) out.note('No task has a tag.')
  },
}
