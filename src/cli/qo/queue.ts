import type { IndexMode, Queue, TaskStatus } from '../../queue/internal.ts'
import type { Store } from '../../store/internal.ts'
import type { Argument } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import type { Io } from '../program/io.ts'
import { type Model, readableOf, withModel } from '../program/model.ts'
import { isSet } from '../program/option-value.ts'
import { taskRows } from './row.ts'

/** The library is loaded by commands that run; `qo --help` does without. */
export const library = () => import('../../queue/internal.ts')

export const idArgument: Argument = { name: 'ID', about: 'a task, by its id or the start of it' }
export const idsArgument: Argument = { ...idArgument, isMany: true }

export const queueModel: Model<Queue> = {
  open: (context) => openQueueStore(context),
  async make(store, onWarning) {
    const { Queue } = await library()
    return new Queue(store, { onWarning })
  },
  async candidateLines(queue, ids, { out }) {
    const { readable, unreadable } = await readableOf(ids, (id) => queue.get(id))
    const columns = await out.columns()
    // Cut ids would be as ambiguous as the one that was given.
    const rows = await taskRows(readable, null)
    return [...rows.map((row) => (columns ? row.slice(0, columns - 2) : row)), ...unreadable]
  },
}

/** Refuses what is no id, nor the start of one, before the store is opened. */
export async function checkedPrefixes(given: readonly string[]): Promise<string[]> {
  const { checkIdPrefix } = await library()
  return given.map(checkIdPrefix)
}

/** Opens the queue, for what is done with the task that the command line names. */
export async function withTask<T>(
  context: Context,
  use: (queue: Queue, id: string) => Promise<T>,
): Promise<T> {
  const [prefix] = await checkedPrefixes(context.args.words)
  return withModel(context, queueModel, async (queue) =>
    use(queue, await queue.resolve(prefix as string)),
  )
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

/** The bucket that `S3_BUCKET`, `S3_ENDPOINT` and `S3_REGION` name. */
export function environmentStore({ env }: Io): string | undefined {
  const { S3_BUCKET: bucket, S3_ENDPOINT: endpoint, S3_REGION: region } = env
  if (!bucket) return undefined
  const options = new URLSearchParams()
  if (endpoint) options.set('endpoint', endpoint.trim().replace(/\/+$/, ''))
  if (region) options.set('region', region.trim())
  const query = options.toString()
  return `s3://${bucket.trim()}${query === '' ? '' : `?${query}`}`
}

const allowanceVariable = 'QO_ALLOW_NO_VERSIONING'

/** Whether a bucket may do without versions, though the history of tasks rests on them. */
export const isUnversionedAllowed = (context: Context): boolean => isSet(context, allowanceVariable)

/** The store that was chosen, as a queue wants it: a bucket must keep versions. */
export async function queueUrl(context: Context): Promise<string> {
  const isAllowed = isUnversionedAllowed(context)
  const { url } = await context.storeChoice()
  if (isAllowed) return url
  const { schemeOf } = await import('../../store/internal.ts')
  return schemeOf(url)?.keepingVersions?.(url) ?? url
}

/** Opens it. The error for a bucket without versions says what to do. */
export async function openQueueStore(context: Context): Promise<Store> {
  const url = await queueUrl(context)
  try {
    return await context.openStore({ url })
  } catch (error) {
    const { StoreError } = await import('../../store/internal.ts')
    if (!(error instanceof StoreError) || error.reason !== 'unversioned') throw error
    const what = error.message.slice(0, -error.next.length).trimEnd()
    const next = `Turn on versioning for the bucket; or set ${allowanceVariable}=1 to do without what it keeps.`
    throw new StoreError('unversioned', what, next, error)
  }
}

/** Opens it for who serves metrics, so that what is asked of it is counted; a bucket does that by itself. */
export async function openMeasured(context: Context, port: number | undefined): Promise<Store> {
  const store = await openQueueStore(context)
  if (port === undefined) return store
  const { counted, s3Requests } = await import('../../store/internal.ts')
  return s3Requests(store) ? store : counted(store)
}

// The words of the library, which is not loaded for the sake of a table of commands.
export const statuses = [
  'pending',
  'running',
  'completed',
  'failed',
  'archived',
  'cancelled',
] as const satisfies readonly TaskStatus[]

export const indexModes = [
  'index-only',
  'hybrid',
  'log-scan',
] as const satisfies readonly IndexMode[]
