import type { TaskVersion } from '../../queue/internal.ts'
import type { Command } from '../program/command.ts'
import { fittedTo, measureFor } from '../program/display-width.ts'
import { pageExclusive, pageLimitOf, pageOptions } from './page.ts'
import { checkedPrefix, idArgument, withQueue } from './queue.ts'
import { remarkOf } from './row.ts'

export const history: Command = {
  name: 'history',
  about: 'show the states that a task has had, the oldest first',
  details: 'Of more than are shown these are the last.',
  arguments: [idArgument],
  options: pageOptions,
  exclusive: pageExclusive,
  examples: ['qo history 7019a8c3', 'qo history 7019a8c3 --all --json'],
  async run(context) {
    const { out } = context
    const limit = pageLimitOf(context)
    const prefix = await checkedPrefix(context)
    const versions = await withQueue(context, async (queue) =>
      queue.history(await queue.resolve(prefix)),
    )
    const shown = versions.slice(-limit)
    const lines = linesOf(shown)
    const columns = await out.columns()
    const measure = columns === null ? null : await measureFor(lines)
    out.answer({
      kind: 'history',
      data: shown,
      total: versions.length,
      lines: lines.map((line) => (measure ? fittedTo(columns as number, line, measure) : line)),
    })
  },
}

function linesOf(versions: readonly TaskVersion[]): string[] {
  const digits = String(versions.at(-1)?.version ?? 0).length
  return versions.map(({ version, at, task }) => {
    const attempt = task.attempt === 0 ? '' : `attempt ${task.attempt}`
    const rest = [attempt, remarkOf(task)].filter((text) => text !== '').join(', ')
    return `${String(version).padStart(digits)}  ${at}  ${task.status.padEnd(9)}  ${rest}`.trimEnd()
  })
}
