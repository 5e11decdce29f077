import type { Task } from '../../list/index.ts'
import type { Command } from '../program/command.ts'
import { printable } from '../program/printable.ts'
import { checkedPrefixes, taskData, withTasks } from './tasks.ts'

export const show: Command = {
  name: 'show',
  about: 'show a task with its whole text',
  arguments: [{ name: 'PREFIX', about: 'the first digits of an id' }],
  examples: ['ut show 2f8c8a3c'],
  async run(context) {
    const [prefix] = await checkedPrefixes(context.args.words)
    const task = await withTasks(context, (list) => list.get(prefix as string))
    context.out.answer({ kind: 'task', data: taskData(task), lines: fieldsOf(task) })
  },
}

function fieldsOf({ id, text, done, tags, created }: Task): string[] {
  return [
    ...field('id', id),
    ...field('text', text),
    ...field('done', String(done)),
    ...field('tags', tags.join(',')),
    ...field('created', created),
  ]
}

/** Further lines of a text stand below its first, so that none can be taken for a field. */
function field(name: string, value: string): string[] {
  const [first, ...more] = value
    .split('\n')
    .map((line) => line.split('\t').map(printable).join('\t'))
  const indent = ' '.repeat(name.length + 2)
  return [`${name}: ${first}`, ...more.map((line) => indent + line)].map((line) => line.trimEnd())
}
