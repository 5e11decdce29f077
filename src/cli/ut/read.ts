import type { Task } from '../../list/internal.ts'
import { oneLine } from '../../terminal/index.ts'
import type { Command } from '../program/command.ts'
import { columnWidth, displayWidths } from '../program/display-width.ts'
import { withModel } from '../program/model.ts'
import { limitOf, limitOption } from '../program/option-value.ts'
import { fieldLines } from '../program/text.ts'
import { alikeOf, rowsOf } from './row.ts'
import { checkedPrefixes, library, listModel, prefixArgument, taskData } from './tasks.ts'

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
    const { tasks, shown, alike } = await withModel(context, listModel, async (list) => {
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

export const show: Command = {
  name: 'show',
  about: 'show a task with its whole text',
  arguments: [prefixArgument],
  examples: ['ut show 2f8c8a3c'],
  async run(context) {
    const [prefix] = await checkedPrefixes(context.args.words)
    const task = await withModel(context, listModel, (list) => list.get(prefix as string))
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

export const tags: Command = {
  name: 'tags',
  about: 'list all tags, and how many tasks have each',
  examples: ['ut tags'],
  async run(context) {
    const { out } = context
    const counts = await withModel(context, listModel, (list) => list.tags())
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
