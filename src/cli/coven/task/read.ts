import { oneLine } from '../../../terminal/index.ts'
import type { HistoryEntry, Task, TaskQuery, TaskTree } from '../../../tree/internal.ts'
import type { Command } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { fittedTo, gap, type Measure, measureFor } from '../../program/display-width.ts'
import { withModel } from '../../program/model.ts'
import { pageExclusive } from '../../program/option-value.ts'
import { fieldLines, typed } from '../../program/text.ts'
import {
  answerList,
  filters,
  includeDeleted,
  pageOf,
  pageOptions,
  queryOf,
  readyFilters,
} from '../query.ts'
import { cutTree, drawnTree, taskRows } from '../rows.ts'
import { idArgument, library, treeModel, withTask } from '../tree.ts'

interface QueryCommand extends Omit<Command, 'run' | 'exclusive'> {
  readonly find: (
    tree: TaskTree,
    query: TaskQuery,
    context: Context,
  ) => Promise<{ readonly tasks: readonly Task[]; readonly total: number | null }>
}

/** Lists the tasks that options choose. */
const queryCommand = ({ find, ...command }: QueryCommand): Command => ({
  ...command,
  exclusive: pageExclusive,
  async run(context) {
    const query = await queryOf(context)
    const { tasks, total } = await withModel(context, treeModel(), async (tree) =>
      find(tree, await query(tree), context),
    )
    await answerList(context, tasks, total ?? tasks.length)
  },
})

export const list = queryCommand({
  name: 'list',
  about: 'list tasks, oldest first',
  details:
    'A task is listed if all conditions hold; of values with commas between them, one is enough.',
  options: { ...filters, ...pageOptions },
  examples: [
    'coven task list --status open,blocked --priority 0,1',
    "coven task list --tag-pattern 'area/**' --all",
    'coven task list --claimed-by agent-7 --json',
  ],
  find: (tree, query) => tree.list(query),
})

export const ready = queryCommand({
  name: 'ready',
  about: 'list what can be started now, the most urgent first',
  details:
    'A task can be started when it is open, all its children are closed, and none of its ancestors is blocked or closed. By priority, then by age.',
  options: { ...readyFilters, ...pageOptions },
  examples: ['coven task ready --limit 1', 'coven task ready --type bug --priority 0,1'],
  // With --quiet nobody reads the total, so nobody waits for the count.
  find: (tree, query, { args, out }) =>
    tree.ready(query, { withTotal: out.isJson || !args.has('quiet') }),
})

interface RelativesCommand extends Omit<Command, 'run' | 'exclusive' | 'arguments'> {
  readonly find: (tree: TaskTree, id: string, context: Context) => Promise<readonly Task[]>
}

/** Lists the tasks above or below another one. */
const relativesCommand = ({ find, ...command }: RelativesCommand): Command => ({
  ...command,
  arguments: [idArgument],
  exclusive: pageExclusive,
  async run(context) {
    const { limit, offset } = pageOf(context)
    const tasks = await withTask(context, (tree, id) => find(tree, id, context))
    await answerList(context, tasks.slice(offset, offset + limit), tasks.length)
  },
})

export const ancestors = relativesCommand({
  name: 'ancestors',
  about: 'list the tasks above a task, from its parent to the top',
  options: pageOptions,
  find: (tree, id) => tree.ancestors(id),
})

export const children = relativesCommand({
  name: 'children',
  about: 'list the tasks directly below a task, oldest first',
  options: { ...includeDeleted, ...pageOptions },
  find: (tree, id, { args }) => tree.children(id, { includeDeleted: args.has('include-deleted') }),
})

export const subtree: Command = {
  name: 'subtree',
  about: 'show a task and all below it, as a tree',
  details: 'Where there are more than the limit, what is nearer to the top is shown.',
  arguments: [idArgument],
  options: {
    flat: { about: 'as a list instead' },
    ...includeDeleted,
    limit: pageOptions.limit,
    all: pageOptions.all,
  },
  exclusive: pageExclusive,
  examples: ['coven task subtree 019a8b5c', 'coven task subtree 019a8b5c --flat --all'],
  async run(context) {
    const { args, out } = context
    const page = pageOf(context)
    const options = { includeDeleted: args.has('include-deleted') }
    const { tasks } = await withTask(context, (tree, id) => tree.subtreeList(id, options))
    const drawn = cutTree(tasks, page.limit)
    const shown = drawn.map(({ task }) => task)
    const { nestedSubtree } = await library()
    const columns = await out.columns()
    const isFlat = args.has('flat')
    out.answer({
      kind: isFlat ? 'task.list' : 'task.tree',
      data: isFlat ? shown : await nestedSubtree(tasks.slice(0, page.limit)),
      total: tasks.length,
      shown: shown.length,
      lines: isFlat ? await taskRows(shown, columns) : await drawnTree(drawn, columns),
    })
  },
}

export const show: Command = {
  name: 'show',
  about: 'show a task with all that is known of it',
  arguments: [idArgument],
  examples: ['coven task show 019a8b5c'],
  async run(context) {
    const task = await withTask(context, (tree, id) => tree.get(id))
    context.out.answer({ kind: 'task', data: task, lines: fieldsOf(task) })
  },
}

/** In the order in which a person asks; the body comes last, for it may be long. */
const shownFields = [
  'id',
  'title',
  'type',
  'status',
  'priority',
  'parent_id',
  'depth',
  'claimed_by',
  'claimed_at',
  'grimoire_hint',
  'grimoire',
  'tags',
  'created_at',
  'updated_at',
  'deleted_at',
  'body',
] as const satisfies readonly (keyof Task)[]

/** Omits what is empty. */
function fieldsOf(task: Task): string[] {
  return shownFields.flatMap((name) => {
    const value = task[name] === null ? '' : String(task[name])
    return value === '' ? [] : fieldLines(name, value)
  })
}

export const history: Command = {
  name: 'history',
  about: 'show what was changed, by whom and when, the newest first',
  arguments: [idArgument],
  options: {
    field: { value: 'FIELD', about: 'only changes of one field, as status' },
    since: { value: 'TIME', about: 'only from then on, as 2026-01-31 or 2026-01-31T12:00:00Z' },
    ...pageOptions,
  },
  exclusive: pageExclusive,
  examples: ['coven task history 019a8b5c --field status'],
  async run(context) {
    const { out } = context
    const { limit, offset } = pageOf(context)
    const given = await conditionsOf(context)
    const entries = await withTask(context, (tree, id) => tree.history(id, given))
    const shownValue = entries.slice(offset, offset + limit)
    const rows = shownValue.map(historyRow)
    const columns = await out.columns()
    const measure = columns === null ? null : await measureFor(rows.flat())
    out.answer({
      kind: 'history',
      data: shownValue,
      total: entries.length,
      lines: rows.flatMap((row) =>
        measure ? fittedRow(row, columns as number, measure) : row.join(gap),
      ),
    })
    if (entries.length === 0 && (await out.isForEyes())) out.note('Nothing was changed.')
  },
}

const timeForm = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i

/** What can never be is refused before the store is opened. */
async function conditionsOf(context: Context) {
  const { historyFields } = await library()
  const [field, since] = [context.args.value('field'), context.args.value('since')]
  if (field !== undefined && !historyFields.includes(field))
    throw context.usageError(
      `--field takes no "${typed(field)}".`,
      `It takes ${historyFields.join(', ')}.`,
    )
  if (since !== undefined && !(timeForm.test(since) && Number.isFinite(Date.parse(since))))
    throw context.usageError(
      `--since takes no "${typed(since)}".`,
      'Give a day or an RFC 3339 time, as 2026-01-31T12:00:00Z.',
    )
  return { field, since }
}

type HistoryRow = readonly [who: string, what: string]

/** In two lines where one is not enough. */
function fittedRow([who, what]: HistoryRow, columns: number, measure: Measure): string[] {
  const line = `${who}${gap}${what}`
  const lines = measure(line) <= columns ? [line] : [who, `${gap}${what}`]
  return lines.map((each) => fittedTo(columns, each, measure))
}

function historyRow({
  changed_at,
  changed_by,
  field,
  old_value,
  new_value,
  ...said
}: HistoryEntry): HistoryRow {
  const change = `${oneLine(field)}: ${shownValue(old_value)} → ${shownValue(new_value)}`
  const words = [said.reason, said.summary].filter((text) => text !== undefined)
  const why = words.length === 0 ? '' : ` (${words.map(shownValue).join('; ')})`
  return [`${changed_at}${gap}${oneLine(changed_by)}`, `${change}${why}`]
}

/** The first line of a text. */
function shownValue(text: string): string {
  const [first = '', ...more] = text.split('\n')
  if (text === '') return '(none)'
  return `${oneLine(first)}${more.length > 0 ? '…' : ''}`
}
