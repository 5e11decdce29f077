import type { AmbiguousIdError, TaskTree, TaskTreeOptions } from '../../tree/internal.ts'
import type { Argument } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { taskRows } from './row.ts'

/** The library is loaded by commands that run; `coven --help` does without. */
export const library = () => import('../../tree/internal.ts')

export const idArgument: Argument = { name: 'ID', about: 'a task, by its id or the start of it' }

export interface TreeOptions extends TaskTreeOptions {
  /** Whether to make a store where there is none; what the command's table says if left out. */
  readonly create?: boolean
}

/** Opens the tree for as long as it is used. */
export async function withTree<T>(
  context: Context,
  use: (tree: TaskTree) => Promise<T>,
  { create, ...options }: TreeOptions = {},
): Promise<T> {
  const { AmbiguousIdError, TaskTree } = await library()
  await using store = await context.openStore(create === undefined ? {} : { create })
  const told = new Set<string>()
  const onWarning = (warning: string) => {
    // A task may be looked at more than once on the way.
    if (!told.has(warning)) context.out.warn(warning)
    told.add(warning)
  }
  const tree = new TaskTree(store, { onWarning, ...options })
  try {
    return await use(tree)
  } catch (error) {
    if (context.out.isJson || !(error instanceof AmbiguousIdError)) throw error
    const { ExplainedError } = await import('../program/failure.ts')
    throw new ExplainedError(error, await candidateLines(context, tree, error))
  }
}

/** What an ambiguous id may mean, as far as that can be told. */
async function candidateLines(
  { out }: Context,
  tree: TaskTree,
  { candidates, count }: AmbiguousIdError,
): Promise<string[]> {
  const found = await Promise.all(candidates.map((id) => tree.get(id).catch(() => null)))
  const tasks = found.filter((task) => task !== null)
  const columns = await out.columns()
  const rows = await taskRows(tasks, columns && columns - 2)
  const unreadable = candidates.filter((_, at) => found[at] === null)
  const isCut = candidates.length < count
  return [...rows, ...unreadable, ...(isCut ? [`${candidates.length} of ${count}`] : [])]
}

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
