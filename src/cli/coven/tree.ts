import type { TaskTree, TaskTreeOptions } from '../../tree/internal.ts'
import type { Argument } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { type Model, readableOf, withModel } from '../program/model.ts'
import { taskRows } from './rows.ts'

/** The library is loaded by commands that run; `coven --help` does without. */
export const library = () => import('../../tree/internal.ts')

export const idArgument: Argument = { name: 'ID', about: 'a task, by its id or the start of it' }

export interface TreeOptions extends TaskTreeOptions {
  /** Whether to make a store where there is none; what the command's table says if left out. */
  readonly create?: boolean
}

export const treeModel = ({ create, ...options }: TreeOptions = {}): Model<TaskTree> => ({
  open: (context) => context.openStore(create === undefined ? {} : { create }),
  async make(store, warn) {
    const { TaskTree } = await library()
    // A task may be looked at more than once on the way.
    const warned = new Set<string>()
    const onWarning = (warning: string) => {
      if (!warned.has(warning)) warn(warning)
      warned.add(warning)
    }
    return new TaskTree(store, { onWarning, ...options })
  },
  async candidateLines(tree, ids, { out }) {
    const { readable, unreadable } = await readableOf(ids, (id) => tree.get(id))
    const columns = await out.columns()
    return [...(await taskRows(readable, columns && columns - 2)), ...unreadable]
  },
})

/** Refuses what is no id, nor the start of one, before the store is opened. */
export async function checkedPrefix(given: string | undefined): Promise<string> {
  const { checkId, checkIdPrefix } = await library()
  const prefix = checkIdPrefix(given)
  return prefix.length === idLength ? checkId(prefix) : prefix
}

/** Of a whole id. */
export const idLength = 36

/** The id that starts so. A whole one need not be looked for. */
export const idOf = async (tree: TaskTree, prefix: string): Promise<string> =>
  prefix.length === idLength ? prefix : tree.resolve(prefix)

/** Opens the tree, for what is done with the task that the command line names first. */
export async function withTask<T>(
  context: Context,
  use: (tree: TaskTree, id: string) => Promise<T>,
  optionsOf?: () => Promise<TreeOptions> | undefined,
): Promise<T> {
  const prefix = await checkedPrefix(context.args.words[0])
  return withModel(context, treeModel(await optionsOf?.()), async (tree) =>
    use(tree, await idOf(tree, prefix)),
  )
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
