import type { TagEdit, Task, TaskList } from '../../list/internal.ts'
import type { Argument, Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { answerEach, changeEach, withModel } from '../program/model.ts'
import { alikeOf, matchedId, rowsOf, shortIds } from './row.ts'
import {
  checkedPrefixes,
  library,
  listModel,
  prefixArgument,
  targetsOf,
  taskData,
} from './tasks.ts'

const prefixesArgument: readonly Argument[] = [{ ...prefixArgument, isMany: true }]

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
    const task = await withModel(context, listModel, (tasks) => tasks.add(text, tags))
    out.confirm({ kind: 'task', data: taskData(task), lines: await rowsOf([task]) })
  },
}

export const edit: Command = {
  name: 'edit',
  about: 'change the text or the tags of a task',
  arguments: [prefixArgument],
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
    const { task, changed, before, alike } = await withModel(context, listModel, async (list) => {
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

interface DoneCommand extends Omit<Command, 'run'> {
  readonly done: boolean
  /** What is said of a task that was so before. */
  readonly already: string
  readonly linesOf: (tasks: readonly Task[], alike: readonly string[]) => Promise<string[]>
}

/** Sets `done` of several tasks, or says that it is so already. */
const doneCommand = ({ done, already, linesOf, ...command }: DoneCommand): Command => ({
  ...command,
  arguments: prefixesArgument,
  async run(context) {
    const { args, out } = context
    const prefixes = await checkedPrefixes(args.words)
    const { outcomes, failures, alike } = await withModel(context, listModel, async (list) => {
      const targets = await targetsOf(list, prefixes)
      const changes = await changeEach(targets, ({ id }) => list.edit(id, { done }))
      const isShown = !out.isJson && changes.failures.length === 0
      return {
        outcomes: changes.done,
        failures: changes.failures,
        alike: isShown ? await alikeOf(list, targets) : [],
      }
    })
    const tasks = outcomes.map(({ task }) => task)
    const lines = await linesOf(tasks, alike)
    await answerEach(context, { kind: 'task.list', data: tasks.map(taskData), lines }, failures)
    const ids = shortIds(
      tasks.map(({ id }) => id),
      alike,
    )
    for (const [at, { changed }] of outcomes.entries())
      if (!changed) out.note(`${ids[at]} is ${already}.`)
  },
})

export const done = doneCommand({
  name: 'done',
  about: 'mark tasks as done',
  examples: ['ut done 2f8c8a3c', 'ut done 2f8c 9a01'],
  done: true,
  already: 'already done',
  linesOf: async (tasks) => tasks.map(({ id }) => `OK (matched id ${matchedId(id)})`),
})

export const undone = doneCommand({
  name: 'undone',
  about: 'mark tasks as not done after all',
  examples: ['ut undone 2f8c8a3c'],
  done: false,
  already: 'already open',
  linesOf: rowsOf,
})

export const rm: Command = {
  name: 'rm',
  about: 'delete tasks',
  details: "There is no way back. A task that can't be read goes only by its whole id.",
  arguments: prefixesArgument,
  async run(context) {
    const { args } = context
    const prefixes = await checkedPrefixes(args.words)
    const { done, failures } = await withModel(context, listModel, async (list) => {
      const targets = await targetsToDelete(list, prefixes)
      return changeEach(targets, async ([id, task]) => {
        await list.delete(id)
        return { id, task }
      })
    })
    const answer = {
      kind: 'task.list',
      data: done.map(({ id, task }) => (task ? taskData(task) : { id })),
      lines: done.map(({ id }) => `Deleted (matched id ${matchedId(id)})`),
    }
    await answerEach(context, answer, failures)
  },
}

/** Ids and tasks, each once; no task for one that can't be read, and was named by its whole id. */
async function targetsToDelete(list: TaskList, prefixes: readonly string[]) {
  const { CorruptDocumentError } = await library()
  const targets = new Map<string, Task | null>()
  const find = async (prefix: string): Promise<[string, Task | null]> => {
    try {
      const task = await list.get(prefix)
      return [task.id, task]
    } catch (error) {
      if (error instanceof CorruptDocumentError && error.id === prefix) return [prefix, null]
      throw error
    }
  }
  for (const found of await Promise.allSettled(prefixes.map(find))) {
    if (found.status === 'rejected') throw found.reason
    targets.set(...found.value)
  }
  return targets
}

export const rebuildIndex: Command = {
  name: 'rebuild-index',
  about: 'bring the lists of tags to what the tasks say',
  examples: ['ut rebuild-index'],
  async run(context) {
    const { out } = context
    const report = await withModel(context, listModel, (list) => list.rebuildIndex())
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
