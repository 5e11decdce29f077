import type {
  NewTask,
  Status,
  Task,
  TaskPatch,
  TaskTree,
  TaskType,
} from '../../../tree/internal.ts'
import type { Command } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { isConfirmed, yesOption } from '../../program/input.ts'
import { withModel } from '../../program/model.ts'
import { grimoireSelection } from '../grimoire.ts'
import {
  agentOf,
  agentOption,
  claimerOf,
  fileOption,
  priorities,
  readNote,
  readTexts,
  reasonOption,
  splitTags,
  statuses,
  types,
} from '../options.ts'
import { checkedPrefix, idArgument, idOf, library, parentOf, treeModel } from '../tree.ts'
import { taskVerb } from './verbs.ts'

export const create: Command = {
  name: 'create',
  about: 'add a task, at the top or below another one',
  details:
    'Without a store it makes one: .coven/tasks.db of the workspace, or here. A task below another one takes over the grimoire that was given to that, unless it is given one itself.',
  options: {
    title: { value: 'TITLE', about: 'what there is to do, in one line; - reads stdin' },
    body: { value: 'TEXT', about: 'more about it; - reads stdin' },
    file: fileOption,
    type: { value: 'TYPE', about: 'type of the task (default task)', choices: types },
    priority: {
      value: 'N',
      about: 'from 0, the most urgent, to 4 (default 2)',
      choices: priorities,
    },
    parent: { value: 'ID', aliases: ['parent-id'], about: 'the task that it belongs below' },
    tags: { value: 'TAGS', isMany: true, aliases: ['tag'], about: 'tags, as a,b' },
    grimoire: { value: 'NAME', about: 'the procedure to work on it by, whatever the matchers say' },
    ...agentOption,
  },
  exclusive: [['body', 'file']],
  examples: [
    'coven task create --title "Release 1.0" --type epic --priority 1',
    'coven task create --title "Tag it" --parent 019a8b5c --tags git,release',
    'git log -5 | coven task create --title "Look at these" --body -',
  ],
  creates: true,
  async run(context) {
    const given = await givenTask(context)
    const by = await agentOf(context)
    const parent = context.args.value('parent')
    const prefix = parent === undefined ? null : await checkedPrefix(parent)
    // Where there is no store there is no parent either.
    const model = treeModel({ create: prefix === null })
    const task = await withModel(context, model, async (tree) => {
      const parent_id = prefix === null ? null : await parentOf(tree, prefix)
      return tree.create({ ...given, parent_id }, by)
    })
    context.out.confirm({ kind: 'task', data: task, lines: [`Created task ${task.id}`] })
  },
}

async function givenTask(context: Context): Promise<NewTask> {
  const { args } = context
  const { title, body } = await readTexts(context, ['title', 'body'])
  if (title === undefined) throw context.usageError('There is no title.', 'Give --title TITLE.')
  const priority = args.value('priority')
  const task: NewTask = {
    title,
    body,
    type: args.value('type') as TaskType | undefined,
    priority: priority === undefined ? undefined : Number(priority),
    tags: args.values('tags').flatMap(splitTags),
    grimoire_hint: args.value('grimoire'),
  }
  const { checkNewTask } = await library()
  checkNewTask(task)
  return task
}

const changeableFields = ['title', 'body', 'file', 'type', 'priority', 'grimoire'] as const

export const update: Command = taskVerb({
  name: 'update',
  about: 'change the words, type, priority or status of a task',
  details:
    "A status is reached by the verb that leads there (in_progress is a claim, closed an approval, …), under the same rules. It can't be given together with other changes.",
  options: {
    title: { value: 'TITLE', about: 'the new title; - reads stdin' },
    body: { value: 'TEXT', about: 'the new body, "" for none; - reads stdin' },
    file: fileOption,
    type: { value: 'TYPE', about: 'the new type', choices: types },
    priority: { value: 'N', about: 'the new priority', choices: priorities },
    grimoire: { value: 'NAME', about: 'the new grimoire, "" for none' },
    status: { value: 'STATUS', about: 'the new status', choices: statuses },
    ...reasonOption,
  },
  exclusive: [['body', 'file'], ...changeableFields.map((field) => ['status', field])],
  examples: [
    'coven task update 019a8b5c --priority 0 --title "Tag it today"',
    'coven task update 019a8b5c --status closed --reason "done elsewhere"',
  ],
  treeOptions: async (context) =>
    context.args.value('status') === 'in_progress' ? grimoireSelection(context) : {},
  async prepare(context) {
    const { args } = context
    const status = args.value('status') as Status | undefined
    if (args.has('reason') && status === undefined)
      throw context.usageError('--reason goes with --status.', 'Give both, or neither.')
    if (status === undefined) {
      const patch = await givenPatch(context)
      return (tree, id, by) => tree.update(id, patch, by)
    }
    if (status === 'in_progress') await claimerOf(context)
    const note = await readNote(context, 'reason')
    return (tree, id, by) => tree.setStatus(id, status, by, note)
  },
  line: ({ id, status }, { args }) =>
    `Updated task ${id}${args.has('status') ? ` (status: ${status})` : ''}`,
  idle: ({ id, status }, { args }) => `Task ${id} is already ${args.has('status') ? status : 'so'}`,
})

async function givenPatch(context: Context): Promise<TaskPatch> {
  const { args } = context
  if (!changeableFields.some((field) => args.has(field)))
    throw context.usageError(
      'There is nothing to change.',
      'Give --title, --body, --file, --type, --priority, --grimoire or --status.',
    )
  const priority = args.value('priority')
  const { checkPatch } = await library()
  return checkPatch({
    ...(await readTexts(context, ['title', 'body'])),
    type: args.value('type') as TaskType | undefined,
    priority: priority === undefined ? undefined : Number(priority),
    grimoire_hint: args.value('grimoire'),
  })
}

export const declined = 'Nothing was deleted.'

export const deleteTask: Command = {
  name: 'delete',
  about: 'delete a task, all below it, and their history',
  details:
    "There is no way back. Nobody may be working on any of them. On a terminal it asks first. A task that can't be read goes only by its whole id.",
  arguments: [idArgument],
  options: { ...yesOption, ...agentOption },
  async run(context) {
    const by = await agentOf(context)
    const prefix = await checkedPrefix(context.args.words[0])
    const deleted = await withModel(context, treeModel(), async (tree) => {
      const id = await idOf(tree, prefix)
      const task = await readable(tree, id, prefix)
      const asked = async () => ({ question: await questionOf(tree, id, task), declined })
      if (!(await isConfirmed(context, asked))) return null
      const { descendants } = await tree.delete(id, by)
      return { ...(task ?? { id }), descendants }
    })
    if (deleted === null) return
    const { id, descendants } = deleted
    const line = `Deleted task ${id} (and ${descendants.length} children)`
    context.out.confirm({ kind: 'task', data: deleted, lines: [line] })
  },
}

/** The task; null for one that can't be read, and was named by its whole id. */
async function readable(tree: TaskTree, id: string, given: string): Promise<Task | null> {
  const { CorruptDocumentError } = await library()
  try {
    return await tree.get(id)
  } catch (error) {
    if (error instanceof CorruptDocumentError && error.id === given) return null
    throw error
  }
}

async function questionOf(tree: TaskTree, id: string, task: Task | null): Promise<string> {
  if (task === null) return `Delete task ${id}, which can't be read?`
  const { total } = await tree.subtreeList(id, { includeDeleted: true })
  const below = (total ?? 1) - 1
  const also = below === 0 ? '' : ` and the ${below} below it`
  return `Delete task ${id} "${task.title}"${also}?`
}
