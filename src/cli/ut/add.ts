import type { Command } from '../program/command.ts'
import { rowsOf } from './row.ts'
import { library, taskData, withTasks } from './tasks.ts'

export const add: Command = {
  name: 'add',
  about: 'add a task',
  details:
    'Several words become one text. - reads it from stdin, as shells eat backticks and quotes.',
  arguments: [{ name: 'TEXT', about: 'what there is to do', isMany: true, isOptional: true }],
  options: {
    tag: { short: 't', value: 'TAG', isMany: true, about: 'a tag, or several with commas' },
    file: { value: 'PATH', about: 'read the text from a file', completes: 'files' },
  },
  examples: ['ut add "Buy milk" -t errand -t shopping', 'git log -1 | ut add - -t review'],
  creates: true,
  async run(context) {
    const { args, out } = context
    if (args.words.length > 1 && args.words.includes('-'))
      throw context.usageError('- stands for stdin, and can only be all of the text.')
    const given = await context.readText({
      text: args.words.length > 0 ? args.words.join(' ') : undefined,
      file: args.value('file'),
    })
    if (given === undefined)
      throw context.usageError('There is no text.', 'Give TEXT, - for stdin, or --file PATH.')
    const { checkText, parseTags } = await library()
    const text = checkText(given)
    const tags = args.values('tag').flatMap(parseTags)
    const task = await withTasks(context, (tasks) => tasks.add(text, tags))
    out.confirm({ kind: 'task', data: taskData(task), lines: await rowsOf([task]) })
  },
}
