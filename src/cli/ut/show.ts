import type { Task } from '../../list/internal.ts'
import type { Command } from '../program/command.ts'
import { fieldLines } from '../program/field-lines.ts'
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
    ...fieldLines('id', id),
    ...fieldLines('text', text),
    ...fieldLines('done', String(done)),
    ...fieldLines('tags', tags.join(',')),
    ...fieldLines('created', created),
  ]
}
