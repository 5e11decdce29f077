import type { Task, TaskTree } from '../../../tree/internal.ts'
import type { Command } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { agentOf, agentOption, claimerOf } from '../agent.ts'
import { checkedPrefix, idArgument, idOf, library, type TreeOptions, withTree } from '../tree.ts'

type Act = (tree: TaskTree, id: string, by: string) => Promise<Task>

export interface Verb extends Omit<Command, 'run' | 'commands'> {
  /** Whether it is about a claim, which is somebody's. */
  readonly needsAgent?: true
  /** Looks at what was given before the store is opened, and says what to do then. */
  readonly prepare: (context: Context) => Promise<Act> | Act
  readonly tree?: (context: Context) => Promise<TreeOptions>
  /** What is said once it is done. */
  readonly line: (task: Task, context: Context) => string
  /** What more there is to know. */
  readonly note?: (task: Task) => string
  /** The line where nothing had to be done; left out where that is refused. */
  readonly idle?: (task: Task, context: Context) => string
}

/** A command that does one thing to one task, and says so in a line. */
export function verb({
  needsAgent,
  prepare,
  tree: treeOf,
  line,
  note,
  idle,
  ...command
}: Verb): Command {
  return {
    ...command,
    arguments: command.arguments ?? [idArgument],
    options: { ...command.options, ...agentOption },
    async run(context) {
      const act = await prepare(context)
      const by = await (needsAgent ? claimerOf(context) : agentOf(context))
      const prefix = await checkedPrefix(context.args.words[0])
      const task = await withTree(
        context,
        async (tree) => act(tree, await idOf(tree, prefix), by),
        await treeOf?.(context),
      )
      const { isChanged } = await library()
      const tell = isChanged(task) ? undefined : idle
      context.out.confirm({
        ...{ kind: 'task', data: task, lines: [(tell ?? line)(task, context)] },
        ...(tell ? { changed: false } : {}),
      })
      if (note && !context.out.isJson) context.out.note(note(task))
    },
  }
}
