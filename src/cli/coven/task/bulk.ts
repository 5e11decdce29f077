import type { BulkRequest, BulkResult, TaskTree } from '../../../tree/internal.ts'
import type { Argument, Command } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import type { Failure } from '../../program/failure.ts'
import { isConfirmed, yesOption } from '../../program/input.ts'
import { withModel } from '../../program/model.ts'
import { typed } from '../../program/text.ts'
import { agentOf, agentOption, priorities, readNote, reasonOption, splitTags } from '../options.ts'
import { checkedPrefix, idLength, idOf, library, treeModel } from '../tree.ts'
import { declined } from './write.ts'

const idsArgument: Argument = {
  name: 'ID',
  about: 'tasks, by their ids or the starts of them',
  isMany: true,
}

const close: Command = {
  name: 'close',
  about: 'close tasks: completed, blocked, or claimed by you',
  arguments: [idsArgument],
  options: { ...reasonOption, ...agentOption },
  async run(context) {
    const { reason } = await readNote(context, 'reason')
    await runBulk(context, context.args.words, {
      request: { action: 'close', reason },
      line: (id) => `Closed task ${id}`,
      idle: (id) => `Task ${id} is already closed`,
    })
  },
}

const deleteAll: Command = {
  name: 'delete',
  about: 'delete tasks, all below them, and their history',
  details: 'There is no way back. On a terminal it asks first.',
  arguments: [idsArgument],
  options: { ...yesOption, ...agentOption },
  async run(context) {
    const ids = context.args.words
    const question = `Delete ${ids.length} tasks and all below them?`
    await runBulk(context, ids, {
      request: { action: 'delete' },
      line: (id) => `Deleted task ${id}`,
      confirm: () => isConfirmed(context, async () => ({ question, declined })),
    })
  },
}

const tag: Command = {
  name: 'tag',
  about: 'add tags to tasks, or take them away',
  details: '"bulk tag TAGS ID…" means the same as "bulk tag --add TAGS ID…".',
  arguments: [{ ...idsArgument, name: '[TAGS] ID' }],
  options: {
    add: { value: 'TAGS', aliases: ['tags'], about: 'tags to add, as a,b' },
    remove: { value: 'TAGS', about: 'tags to take away' },
    ...agentOption,
  },
  exclusive: [['add', 'remove']],
  examples: [
    'coven task bulk tag urgent,docs 019a8b5c 019a8b60',
    'coven task bulk tag --remove wip 019a8b5c 019a8b60',
  ],
  async run(context) {
    const isRemoval = context.args.has('remove')
    const { value, ids } = valueAndIds(context, isRemoval ? 'remove' : 'add')
    const { checkTags } = await library()
    const tags = checkTags(splitTags(value))
    await runBulk(context, ids, {
      request: { action: isRemoval ? 'remove_tags' : 'add_tags', tags },
      line: (id) => `${isRemoval ? 'Untagged' : 'Tagged'} task ${id}`,
    })
  },
}

const priority: Command = {
  name: 'priority',
  about: 'set the priority of tasks',
  details: '"bulk priority N ID…" means the same as "bulk priority --priority N ID…".',
  arguments: [{ ...idsArgument, name: '[N] ID' }],
  options: { priority: { value: 'N', about: '0, the most urgent, to 4' }, ...agentOption },
  examples: ['coven task bulk priority 0 019a8b5c 019a8b60'],
  async run(context) {
    const { value, ids } = valueAndIds(context, 'priority')
    if (!priorities.some((each) => each === value))
      throw context.usageError(
        `"${typed(value)}" is no priority.`,
        'Give 0, the most urgent, to 4.',
      )
    await runBulk(context, ids, {
      request: { action: 'set_priority', priority: Number(value) },
      line: (id) => `Set task ${id} to priority ${value}`,
    })
  },
}

/** What to set, by its option or as the first word, and the tasks to set it on. */
function valueAndIds(context: Context, name: string): { value: string; ids: readonly string[] } {
  const { args } = context
  const given = args.value(name)
  const [first = '', ...rest] = args.words
  if (given !== undefined) return { value: given, ids: args.words }
  if (rest.length === 0 || first.length === idLength)
    throw context.usageError(`It is not said what to set on ${first}.`, `Give --${name}.`)
  return { value: first, ids: rest }
}

export const bulk: Command = {
  name: 'bulk',
  about: 'do the same to many tasks',
  details: 'What one task refuses does not keep the others from it.',
  commands: [close, deleteAll, tag, priority],
}

interface BulkPlan {
  readonly request: Omit<BulkRequest, 'task_ids'>
  /** What is said of each task with which it went well. */
  readonly line: (id: string) => string
  /** The same for those that were so before. */
  readonly idle?: (id: string) => string
  /** Asked before anything is done. */
  readonly confirm?: () => Promise<boolean>
}

/** How one of the given ids fared. */
type TaskOutcome = { readonly id: string } & (
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
  const outcomes: TaskOutcome[] = []
  let storeFailure: { thrown: unknown } | null = null
  await withModel(context, treeModel(), async (tree) => {
    const { ids, unknown } = await resolvedIds(tree, prefixes)
    if (!((await plan.confirm?.()) ?? true)) return
    outcomes.push(...unknown)
    const onResult = (result: BulkResult) => {
      const { line, idle = line } = plan
      const lineOf = result.success && !result.changed ? idle : line
      outcomes.push(result.success ? { ...result, line: lineOf(result.id) } : result)
    }
    try {
      await tree.bulk({ ...plan.request, task_ids: ids }, by, { onResult })
    } catch (thrown) {
      // Reports what was done before the store failed.
      if (outcomes.length === unknown.length) throw thrown
      storeFailure = { thrown }
    }
  })
  if (outcomes.length > 0) await answerOutcomes(context, inOrder(outcomes, prefixes), storeFailure)
}

/** The ids that are there, each once, and what became of the others. */
async function resolvedIds(tree: TaskTree, prefixes: readonly string[]) {
  const { Refusal } = await library()
  const ids = new Set<string>()
  const unknown = new Map<string, TaskOutcome>()
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
function inOrder(outcomes: readonly TaskOutcome[], prefixes: readonly string[]): TaskOutcome[] {
  const position = ({ id }: TaskOutcome) => prefixes.findIndex((prefix) => id.startsWith(prefix))
  return outcomes.toSorted((a, b) => position(a) - position(b))
}

async function answerOutcomes(
  context: Context,
  outcomes: readonly TaskOutcome[],
  storeFailure: { readonly thrown: unknown } | null,
): Promise<void> {
  const { out } = context
  const failures = new Map<TaskOutcome, Failure>()
  for (const outcome of outcomes)
    if (!outcome.success) failures.set(outcome, await context.failureOf(outcome.error))
  const end = storeFailure && (await context.failureOf(storeFailure.thrown))
  out.confirm({
    kind: 'result.list',
    data: outcomes.map((outcome) => {
      const { code, message, next, claimed_by } = failures.get(outcome) ?? {}
      const { id, success } = outcome
      if (success) return { id, success, ...(outcome.changed ? {} : { changed: false }) }
      return { id, success, error: { code, message, next, claimed_by } }
    }),
    refused: end ? [end] : [],
    lines: outcomes.flatMap((outcome) => (outcome.success ? [outcome.line] : [])),
  })
  if (!out.isJson) {
    for (const [{ id }, failure] of failures)
      out.fail({ ...failure, message: `${id}: ${failure.message}` })
    if (end) out.fail(end)
  }
  context.exitCode = [...failures.values()][0]?.exit ?? end?.exit ?? 0
}
