import { oneLine } from '../../../terminal/index.ts'
import type { RestoredTask, Task, TaskTree } from '../../../tree/internal.ts'
import type { Argument, Command } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { grimoireSelection } from '../grimoire.ts'
import { agentOf, agentOption, claimerOf, readNote, reasonOption, splitTags } from '../options.ts'
import {
  checkedPrefix,
  idArgument,
  library,
  parentOf,
  type TreeOptions,
  withTask,
} from '../tree.ts'

type TaskAction = (tree: TaskTree, id: string, by: string) => Promise<Task>

/** A command that does one thing to one task, and says so in a line. */
interface TaskVerb extends Omit<Command, 'run' | 'commands'> {
  /** Whether it is about a claim, which is somebody's. */
  readonly needsAgent?: true
  /** Looks at what was given before the store is opened, and says what to do then. */
  readonly prepare: (context: Context) => Promise<TaskAction> | TaskAction
  readonly treeOptions?: (context: Context) => Promise<TreeOptions>
  /** What is said once it is done. */
  readonly line: (task: Task, context: Context) => string
  /** What more there is to know. */
  readonly note?: (task: Task) => string
  /** The line to print if there was nothing to do; absent if that is an error. */
  readonly idle?: (task: Task, context: Context) => string
}

export function taskVerb({
  needsAgent,
  prepare,
  treeOptions,
  line,
  note,
  idle,
  ...command
}: TaskVerb): Command {
  return {
    ...command,
    arguments: command.arguments ?? [idArgument],
    options: { ...command.options, ...agentOption },
    async run(context) {
      const act = await prepare(context)
      const by = await (needsAgent ? claimerOf(context) : agentOf(context))
      const task = await withTask(
        context,
        (tree, id) => act(tree, id, by),
        () => treeOptions?.(context),
      )
      const { isChanged } = await library()
      const idleLine = isChanged(task) ? undefined : idle
      context.out.confirm({
        ...{ kind: 'task', data: task, lines: [(idleLine ?? line)(task, context)] },
        ...(idleLine ? { changed: false } : {}),
      })
      if (note && !context.out.isJson) context.out.note(note(task))
    },
  }
}

const withStatus =
  (done: string) =>
  ({ id, status }: Task): string =>
    `${done} task ${id} (status: ${status})`

const grimoireNote = ({ grimoire }: Task): string => `grimoire: ${grimoire}`

/** What takes a task from one status to another, in the order of the help. */
const verbs: readonly TaskVerb[] = [
  {
    name: 'claim',
    about: 'take a task, so that nobody else does',
    details:
      'It must be open. The grimoire to work by is chosen now, and kept with the task; "coven matchers explain" says why.',
    options: {
      tags: { value: 'TAGS', isMany: true, about: 'tags to add at the same time, as a,b' },
    },
    examples: ['coven task claim 019a8b5c --agent-id agent-7'],
    needsAgent: true,
    treeOptions: grimoireSelection,
    async prepare({ args }) {
      const { checkTags } = await library()
      const tags = checkTags(args.values('tags').flatMap(splitTags))
      return (tree, id, by) => tree.claim(id, by, { tags })
    },
    line: ({ id }) => `Claimed task ${id}`,
    note: grimoireNote,
  },
  {
    name: 'reclaim',
    about: 'make sure that you still have a task; changes nothing',
    needsAgent: true,
    prepare: () => (tree, id, by) => tree.reclaim(id, by),
    line: ({ id }) => `Reclaimed task ${id}`,
    note: grimoireNote,
  },
  {
    name: 'release',
    about: 'give a task back that you have claimed',
    options: { force: { about: 'also one that another agent has claimed' } },
    needsAgent: true,
    prepare: ({ args }) => {
      const force = args.has('force')
      return (tree, id, by) => tree.release(id, by, { force })
    },
    line: ({ id }) => `Released task ${id}`,
  },
  {
    name: 'complete',
    about: 'finish a task that you have claimed; it then waits to be merged',
    options: {
      summary: { value: 'TEXT', about: 'what was done, for the history; - reads stdin' },
      'skip-review': { about: 'close it at once' },
    },
    needsAgent: true,
    async prepare(context) {
      const note = await readNote(context, 'summary')
      const skip_review = context.args.has('skip-review')
      return (tree, id, by) => tree.complete(id, by, { ...note, skip_review })
    },
    line: withStatus('Completed'),
  },
  {
    name: 'block',
    about: 'give up a task that you have claimed, until somebody helps',
    options: reasonOption,
    needsAgent: true,
    async prepare(context) {
      const note = await readNote(context, 'reason')
      return (tree, id, by) => tree.block(id, by, note)
    },
    line: withStatus('Blocked'),
  },
  {
    name: 'unblock',
    about: 'open a blocked task again',
    prepare: () => (tree, id, by) => tree.unblock(id, by),
    line: withStatus('Unblocked'),
  },
  {
    name: 'approve',
    about: 'close a completed task',
    prepare: () => (tree, id, by) => tree.approve(id, by),
    line: withStatus('Approved'),
  },
  {
    name: 'reject',
    about: 'send a completed task back; it is blocked then',
    options: reasonOption,
    async prepare(context) {
      const note = await readNote(context, 'reason')
      return (tree, id, by) => tree.reject(id, by, note)
    },
    line: withStatus('Rejected'),
  },
  {
    name: 'restore',
    about: 'bring back a task that retention has deleted',
    details:
      'With it comes back everything that was hidden together with it. "coven task list --include-deleted" shows what is hidden. What "coven task delete" took is gone.',
    prepare: () => (tree, id, by) => tree.restore(id, by),
    line: (task) => `Restored task ${task.id}${othersOf(task as RestoredTask)}`,
    idle: ({ id }) => `Task ${id} is already there`,
  },
]

export const statusVerbs: readonly Command[] = verbs.map(taskVerb)

/** How many came back with it, which are its children unless it was hidden as a part of another. */
function othersOf({ restored, restored_below }: RestoredTask): string {
  const others = Math.max(restored - 1, restored_below)
  if (others === 0) return ''
  return ` (and ${others} ${others === restored_below ? 'children' : 'others'})`
}

export const reparent: Command = taskVerb({
  name: 'reparent',
  about: 'move a task, and all below it, below another one',
  arguments: [idArgument, { name: 'PARENT', about: 'the task to move it below', isOptional: true }],
  options: { root: { about: 'to the top instead' } },
  examples: ['coven task reparent 019a8b5c 019a8b50', 'coven task reparent 019a8b5c --root'],
  async prepare(context) {
    const { args } = context
    const given = args.words[1]
    if ((given === undefined) !== args.has('root'))
      throw context.usageError(
        given === undefined ? 'It is not said where to.' : 'Two places were given.',
        'Give either PARENT or --root.',
      )
    const prefix = given === undefined ? null : await checkedPrefix(given)
    return async (tree, id, by) =>
      tree.reparent(id, prefix === null ? null : await parentOf(tree, prefix), by)
  },
  line: ({ id, parent_id }) =>
    parent_id === null ? `Moved task ${id} to the top` : `Moved task ${id} below ${parent_id}`,
  idle: ({ id, parent_id }) =>
    `Task ${id} is already ${parent_id === null ? 'at the top' : `below ${parent_id}`}`,
})

const tagArgument: Argument = {
  name: 'TAG',
  about: 'tags, as separate words or as a,b',
  isMany: true,
}

interface TagVerb {
  readonly name: string
  readonly about: string
  readonly tag?: Argument
  readonly method: 'addTags' | 'removeTags' | 'setTags'
}

const tagVerb = ({ name, about, tag = tagArgument, method }: TagVerb): Command =>
  taskVerb({
    name,
    about,
    arguments: [idArgument, tag],
    examples: [`coven task tag ${name} 019a8b5c docs,area/web`],
    async prepare({ args }) {
      const { checkTags } = await library()
      const tags = checkTags(args.words.slice(1).flatMap(splitTags))
      return (tree: TaskTree, id: string, by: string) => tree[method](id, tags, by)
    },
    line: (task) => `Task ${task.id} has ${tagsIn(task)}`,
    idle: (task) => `Task ${task.id} already has ${tagsIn(task)}`,
  })

const tagsIn = ({ tags }: Task): string =>
  tags.length === 0 ? 'no tags' : `the tags ${tags.map(oneLine).join(',')}`

const listTags: Command = {
  name: 'list',
  about: 'list the tags of a task, one a line',
  arguments: [idArgument],
  async run(context) {
    const { tags } = await withTask(context, (tree, id) => tree.get(id))
    context.out.answer({ kind: 'tag.list', data: tags, lines: tags.map(oneLine) })
  },
}

export const tag: Command = {
  name: 'tag',
  about: 'add, remove, set or list the tags of a task',
  commands: [
    tagVerb({ name: 'add', about: 'add tags to a task', method: 'addTags' }),
    tagVerb({ name: 'remove', about: 'take tags from a task', method: 'removeTags' }),
    tagVerb({
      name: 'set',
      about: 'give a task these tags and no others; none without any',
      tag: { ...tagArgument, isOptional: true },
      method: 'setTags',
    }),
    listTags,
  ],
}
