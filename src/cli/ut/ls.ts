import type { Command } from '../program/command.ts'
import { limitOf, limitOption } from '../program/limit.ts'
import { alikeOf, rowsOf } from './row.ts'
import { library, taskData, withTasks } from './tasks.ts'

export const ls: Command = {
  name: 'ls',
  about: 'list tasks, oldest first',
  details: 'Conditions add up: a task is listed if all of them hold.',
  options: {
    any: { value: 'TAGS', isMany: true, about: 'with at least one of these tags: a,b' },
    all: { value: 'TAGS', isMany: true, about: 'with all of these tags: a,b' },
    done: { about: 'only what is done' },
    open: { about: 'only what is still to be done' },
    limit: limitOption,
  },
  exclusive: [['done', 'open']],
  examples: ['ut ls --all urgent,work', 'ut ls --open --limit 20', 'ut ls --json'],
  async run(context) {
    const { args, out } = context
    const { parseTags } = await library()
    const [any, all] = ['any', 'all'].map((name) => args.values(name).flatMap(parseTags))
    const done = args.has('done') ? true : args.has('open') ? false : undefined
    const limit = limitOf(context)
    const { tasks, shown, alike } = await withTasks(context, async (list) => {
      const found = await list.query({ any, all, done })
      const cut = found.slice(0, limit)
      return { tasks: found, shown: cut, alike: out.isJson ? [] : await alikeOf(list, cut) }
    })
    out.answer({
      kind: 'task.list',
      data: shown.map(taskData),
      total: tasks.length,
      lines: out.isJson ? [] : await rowsOf(shown, alike, await out.columns()),
    })
    // Nothing at all looks like a program that failed; a pipe wants it that way.
    if (tasks.length === 0 && (await out.isForEyes())) out.note('No task matches.')
  },
}
