import type { TagEdit, Task } from '../../list/internal.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { alikeOf, rowsOf, shortIds } from './row.ts'
import { checkedPrefixes, library, taskData, withTasks } from './tasks.ts'

export const edit: Command = {
  name: 'edit',
  about: 'change the text or the tags of a task',
  arguments: [{ name: 'PREFIX', about: 'the first digits of an id' }],
  options: {
    text: { value: 'TEXT', about: 'the new text; - reads stdin' },
    file: { value: 'PATH', about: 'read the new text from a file', completes: 'files' },
    tags: { value: 'TAGS', about: 'all tags anew, as a,b; "" for none' },
    tag: { short: 't', value: 'TAG', isMany: true, about: 'a or +a adds a tag, -a removes it' },
  },
  exclusive: [
    ['text', 'file'],
    ['tags', 'tag'],
  ],
  examples: ['ut edit 2f8c8a3c --text "Buy oat milk"', 'ut edit 2f8c8a3c -t +urgent -t -shopping'],
  async run(context) {
    const { args, out } = context
    const [prefix] = await checkedPrefixes(args.words)
    const text = await newText(context)
    const tags = await newTags(context)
    if (text === undefined && tags === undefined)
      throw context.usageError('There is nothing to change.', 'Give --text, --file, --tags or -t.')
    const { task, changed, before, alike } = await withTasks(context, async (list) => {
      const outcome = await list.edit(prefix as string, { text, tags })
      return { ...outcome, alike: out.isJson ? [] : await alikeOf(list, [outcome.task]) }
    })
    out.confirm({ kind: 'task', data: taskData(task), lines: await rowsOf([task], alike) })
    const [id] = shortIds([task.id], alike)
    const already = alreadySo(before, text, tags)
    if (!changed) out.note(`${id} is already so.`)
    else if (already.length > 0) out.note(`Already so: ${id} (${already.join(', ')}).`)
  },
}

/** The parts of an edit that change nothing. */
function alreadySo(
  before: Task,
  text: string | undefined,
  tags: readonly string[] | TagEdit | undefined,
): string[] {
  const words = text === before.text ? ['same text'] : []
  if (tags === undefined) return words
  if (!('add' in tags || 'remove' in tags))
    return String(tags) === String(before.tags) ? [...words, 'same tags'] : words
  const { add = [], remove = [] } = tags
  return [
    ...words,
    ...add.filter((tag) => before.tags.includes(tag)).map((tag) => `has tag ${tag}`),
    ...remove.filter((tag) => !before.tags.includes(tag)).map((tag) => `has no tag ${tag}`),
  ]
}

async function newText(context: Context): Promise<string | undefined> {
  const { checkText } = await library()
  const { args } = context
  const text = await context.readText({ text: args.value('text'), file: args.value('file') })
  return text === undefined ? undefined : checkText(text)
}

async function newTags(context: Context): Promise<string[] | TagEdit | undefined> {
  const { parseTags } = await library()
  const all = context.args.value('tags')
  if (all !== undefined) return all.trim() === '' ? [] : parseTags(all)
  const signed = context.args.values('tag').flatMap((value) => value.split(','))
  if (signed.length === 0) return undefined
  const without = (part: string) => parseTags(part.trim().replace(/^[+-]/, ''))
  const isRemoval = (part: string) => part.trim().startsWith('-')
  const remove = signed.filter(isRemoval).flatMap(without)
  const add = signed.filter((part) => !isRemoval(part)).flatMap(without)
  const both = add.find((tag) => remove.includes(tag))
  if (both !== undefined)
    throw context.usageError(`The tag "${both}" is both added and removed.`, 'Choose one.')
  return { add, remove }
}
