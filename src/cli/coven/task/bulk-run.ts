import type { BulkRequest, BulkResult, TaskTree } from '../../../tree/internal.ts'
import type { Context } from '../../program/context.ts'
import type { Failure } from '../../program/failure.ts'
import { agentOf } from '../agent.ts'
import { checkedPrefix, idOf, library, withTree } from '../tree.ts'

export interface BulkPlan {
  readonly request: Omit<BulkRequest, 'task_ids'>
  /** What is said of each task with which it went well. */
  readonly line: (id: string) => string
  /** The same for those that were so before. */
  readonly idle?: (id: string) => string
  /** Asked before anything is done. */
  readonly confirm?: () => Promise<boolean>
}

/** How one of the given ids fared. */
type Fate = { readonly id: string } & (
  | { readonly success: true; readonly changed: boolean; readonly line: string }
  | { readonly success: false; readonly error: unknown }
)

/** Does the same to many tasks, and tells of each; the exit code is that of the first that was refused. */
export async function runBulk(
  context: Context,
  given: readonly string[],
  plan: BulkPlan,
): Promise<void> {
  const { bulkTasksMax } = await library()
  if (given.length > bulkTasksMax)
    throw context.usageError(`${given.length} tasks are too many.`, `Give ${bulkTasksMax} at most.`)
  const by = await agentOf(context)
  const prefixes = await Promise.all(given.map(checkedPrefix))
  const fates: Fate[] = []
  let broken: { thrown: unknown } | null = null
  await withTree(context, async (tree) => {
    const { ids, unknown } = await resolved(tree, prefixes)
    if (!((await plan.confirm?.()) ?? true)) return
    fates.push(...unknown)
    const onResult = (result: BulkResult) => {
      const { line, idle = line } = plan
      const tell = result.success && !result.changed ? idle : line
      fates.push(result.success ? { ...result, line: tell(result.id) } : result)
    }
    try {
      await tree.bulk({ ...plan.request, task_ids: ids }, by, { onResult })
    } catch (thrown) {
      // What was done before the store failed is told all the same.
      if (fates.length === unknown.length) throw thrown
      broken = { thrown }
    }
  })
  if (fates.length > 0) await tell(context, inOrder(fates, prefixes), broken)
}

/** The ids that are there, each once, and what became of the others. */
async function resolved(tree: TaskTree, prefixes: readonly string[]) {
  const { Refusal } = await library()
  const ids = new Set<string>()
  const unknown = new Map<string, Fate>()
  for (const prefix of prefixes)
    try {
      const id = await idOf(tree, prefix)
      // What can't be read is changed by its whole id alone.
      if (id !== prefix) await tree.get(id)
      ids.add(id)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      unknown.set(prefix, { id: prefix, success: false, error })
    }
  return { ids: [...ids], unknown: [...unknown.values()] }
}

/** As the ids were given. */
function inOrder(fates: readonly Fate[], prefixes: readonly string[]): Fate[] {
  const place = ({ id }: Fate) => prefixes.findIndex((prefix) => id.startsWith(prefix))
  return fates.toSorted((a, b) => place(a) - place(b))
}

async function tell(
  context: Context,
  fates: readonly Fate[],
  broken: { readonly thrown: unknown } | null,
): Promise<void> {
  const { out } = context
  const failures = new Map<Fate, Failure>()
  for (const fate of fates)
    if (!fate.success) failures.set(fate, await context.failureOf(fate.error))
  const end = broken && (await context.failureOf(broken.thrown))
  out.confirm({
    kind: 'result.list',
    data: fates.map((fate) => {
      const { code, message, next, claimed_by } = failures.get(fate) ?? {}
      const { id, success } = fate
      if (success) return { id, success, ...(fate.changed ? {} : { changed: false }) }
      return { id, success, error: { code, message, next, claimed_by } }
    }),
    refused: end ? [end] : [],
    lines: fates.flatMap((fate) => (fate.success ? [fate.line] : [])),
  })
  if (!out.isJson) {
    for (const [{ id }, failure] of failures)
      out.fail({ ...failure, message: `${id}: ${failure.message}` })
    if (end) out.fail(end)
  }
  context.exitCode = [...failures.values()][0]?.exit ?? end?.exit ?? 0
}
