import type { AmbiguousIdError, Queue } from '../../queue/internal.ts'
import type { Argument } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { taskRows } from './row.ts'
import { openQueueStore } from './store.ts'

/** The library is loaded by commands that run; `qo --help` does without. */
export const library = () => import('../../queue/internal.ts')

export const idArgument: Argument = { name: 'ID', about: 'a task, by its id or the start of it' }
export const idsArgument: Argument = { ...idArgument, isMany: true }

/** Opens the queue for as long as it is used. */
export async function withQueue<T>(
  context: Context,
  use: (queue: Queue) => Promise<T>,
): Promise<T> {
  const { AmbiguousIdError, Queue } = await library()
  await using store = await openQueueStore(context)
  const queue = new Queue(store, { onWarning: (warning) => context.out.warn(warning) })
  try {
    return await use(queue)
  } catch (error) {
    if (context.out.isJson || !(error instanceof AmbiguousIdError)) throw error
    const { ExplainedError } = await import('../program/failure.ts')
    throw new ExplainedError(error, await candidateLines(context, queue, error))
  }
}

/** What an ambiguous id may mean, as far as that can be told. */
async function candidateLines(
  { out }: Context,
  queue: Queue,
  { candidates, count }: AmbiguousIdError,
): Promise<string[]> {
  const found = await Promise.all(candidates.map((id) => queue.get(id).catch(() => null)))
  const columns = await out.columns()
  const tasks = found.filter((task) => task !== null)
  // Cut ids would be as ambiguous as the one that was given.
  const rows = (await taskRows(tasks, null)).map((row) =>
    columns ? row.slice(0, columns - 2) : row,
  )
  const unreadable = candidates.filter((_, at) => found[at] === null)
  const isCut = candidates.length < count
  return [...rows, ...unreadable, ...(isCut ? [`${candidates.length} of ${count}`] : [])]
}

/** Refuses what is no id, nor the start of one, before the store is opened. */
export async function checkedPrefixes(given: readonly string[]): Promise<string[]> {
  const { checkIdPrefix } = await library()
  return given.map(checkIdPrefix)
}

export async function checkedPrefix({ args }: Context): Promise<string> {
  const { checkIdPrefix } = await library()
  return checkIdPrefix(args.words[0])
}

const resolvedAtOnce = 32

/** The tasks that prefixes name, each once; where one is missing or ambiguous, it throws. */
export async function resolveAll(queue: Queue, prefixes: readonly string[]): Promise<string[]> {
  const ids = new Set<string>()
  for (let at = 0; at < prefixes.length; at += resolvedAtOnce) {
    const some = prefixes.slice(at, at + resolvedAtOnce)
    const found = await Promise.allSettled(some.map((prefix) => queue.resolve(prefix)))
    for (const one of found) {
      if (one.status === 'rejected') throw one.reason
      ids.add(one.value)
    }
  }
  return [...ids]
}
