import type { NewTask, TaskTree, TaskType } from '../../../tree/internal.ts'
import type { Command } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { agentOf, agentOption } from '../agent.ts'
import { fileOption, readTexts } from '../texts.ts'
import { checkedPrefix, idOf, library, withTree } from '../tree.ts'
import { priorities, splitTags, types } from '../words.ts'

export const create: Command = {
  name: 'create',
  about: 'add a task, at the top or below another one',
  details:
    'Without a store it makes one: .coven/tasks.db of the workspace, or here. A task below another one takes over the grimoire that was given to that, unless it is given one itself.',
  options: {
    title: { value: 'TITLE', about: 'what there is to do, in one line; - reads stdin' },
    body: { value: 'TEXT', about: 'more about it; - reads stdin' },
    file: fileOption,
    type: { value: 'TYPE', about: 'task if left out', choices: types },
    priority: { value: 'N', about: '0 is the most urgent; 2 if left out', choices: priorities },
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
    const task = await withTree(
      context,
      async (tree) => {
        const parent_id = prefix === null ? null : await parentOf(tree, prefix)
        return tree.create({ ...given, parent_id }, by)
      },
      // Where there is no store there is no parent either.
      { create: prefix === null },
    )
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

/** A task that is to have others below it. */
export async function parentOf(tree: TaskTree, prefix: string): Promise<string> {
  const { ParentNotFoundError, TaskNotFoundError } = await library()
  try {
    return await idOf(tree, prefix)
  } catch (error) {
    throw error instanceof TaskNotFoundError ? new ParentNotFoundError(prefix) : error
  }
}
