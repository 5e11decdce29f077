import type { ListFilter, Queue, Stats, Task, TaskPage, TaskStatus } from '../../queue/internal.ts'
import { oneLine } from '../../terminal/index.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { columnWidth, fittedTo, gap, measureFor } from '../program/display-width.ts'
import { withModel } from '../program/model.ts'
import { listMax, maxOf, pageExclusive, pageOptions } from '../program/option-value.ts'
import { Progress } from '../program/output.ts'
import { library, queueModel, statuses } from './queue.ts'
import { taskRows } from './row.ts'

export const list: Command = {
  name: 'list',
  about: 'list tasks, the newest first',
  details: 'Archived ones are listed only with --status archived or --all.',
  options: {
    shard: { value: 'DIGIT', about: 'only of one shard, 0 to f' },
    status: { value: 'STATUS', about: 'only with this status', choices: statuses },
    type: { short: 't', value: 'TYPE', about: 'only of this type' },
    ...pageOptions(listMax),
  },
  exclusive: pageExclusive,
  examples: [
    'qo list --status failed',
    'qo list --type send_email --limit 10',
    'qo list --all --json',
  ],
  async run(context) {
    const { out } = context
    const filter = await filterOf(context)
    const limit = maxOf(context)
    const { tasks, total, left } = await withModel(context, queueModel, async (queue) => {
      using progress = await Progress.of(context, 'Reading')
      return await pagesOf(queue, filter, limit, progress)
    })
    out.answer({
      kind: 'task.list',
      data: tasks,
      total,
      lines: out.isJson ? [] : await taskRows(tasks, await out.columns()),
    })
    if (left !== null) out.note(leftNotes[left])
    // Nothing at all looks like a program that failed; a pipe wants it that way.
    if (total === 0 && (await out.isForEyes())) out.note('No task matches.')
  },
}

/** What can never be is refused before the store is opened. */
async function filterOf({ args }: Context): Promise<ListFilter> {
  const { checkShard, checkType } = await library()
  const [shard, type] = [args.value('shard'), args.value('type')]
  return {
    shard: shard === undefined ? undefined : checkShard(shard),
    type: type === undefined ? undefined : checkType(type),
    status: args.value('status') as TaskStatus | undefined,
    all: args.has('all'),
  }
}

const pageTasksMax = 1000
/** What is not shown is counted only for so long. */
const countMsMax = 2_000

/** As many as are wanted, and how many there are. */
async function pagesOf(
  queue: Queue,
  filter: ListFilter,
  limit: number,
  progress: Progress,
): Promise<{ tasks: Task[]; total: number; left: keyof typeof leftNotes | null }> {
  const tasks: Task[] = []
  let [total, countedFrom] = [0, 0]
  let cursor: string | null = null
  do {
    const page: TaskPage = await queue.list({
      ...filter,
      limit: pageSize(limit, tasks.length),
      cursor,
    })
    tasks.push(...page.tasks.slice(0, limit - tasks.length))
    total += page.tasks.length
    cursor = page.cursor
    progress.at(total)
    const isThrough: boolean = page.isThroughIndex === true
    if (tasks.length < limit && !isThrough) continue
    countedFrom ||= performance.now()
    if (cursor !== null && performance.now() - countedFrom > countMsMax)
      return { tasks, total: isThrough ? total : total + 1, left: isThrough ? 'unindexed' : 'more' }
  } while (cursor !== null)
  return { tasks, total, left: null }
}

/** What was not looked at. */
const leftNotes = {
  more: 'There are more; it would take long to count them.',
  unindexed:
    'It would take long to look for tasks without an index entry. If other tools write tasks, "qo monitor --once" indexes them.',
} as const

const pageSize = (limit: number, have: number): number =>
  have < limit ? Math.min(pageTasksMax, limit - have) : pageTasksMax

export const stats: Command = {
  name: 'stats',
  about: 'count tasks by status and type',
  details: 'It reads every task. Types of pending tasks that no active worker handles are named.',
  examples: ['qo stats', "qo stats --json | jq '.data.by_status.failed'"],
  async run(context) {
    const { out } = context
    const counted = await withModel(context, queueModel, async (queue) => {
      using progress = await Progress.of(context, 'Counting')
      return await queue.stats({ onProgress: (count) => progress.at(count) })
    })
    out.answer({
      kind: 'stats',
      data: counted,
      lines: await statsLines(counted, await out.columns()),
    })
  },
}

type Counts = Stats['by_status']

/** What all the columns of numbers take. */
const numbersWidth = statuses.reduce((sum, status) => sum + gap.length + status.length, 0)
/** With less room for the names of types, numbers that are not 0 stand in words instead. */
const namesWidthMin = 8

async function statsLines(stats: Stats, columns: number | null): Promise<string[]> {
  const { total, by_status, by_type, unhandled_types } = stats
  const rows: (readonly [string, Counts])[] = [
    ...Object.entries(by_type).map(([type, counts]) => [oneLine(type), counts] as const),
    ['all', by_status],
  ]
  const unhandled = unhandled_types.map((type) => `No active worker handles ${oneLine(type)}.`)
  return [
    ...(await statsTable(rows, columns)),
    `${total} ${total === 1 ? 'task' : 'tasks'}`,
    ...unhandled,
  ]
}

/** A table on which a terminal has room for the names, or a line of words for each. */
async function statsTable(
  rows: readonly (readonly [string, Counts])[],
  columns: number | null,
): Promise<string[]> {
  const measure = await measureFor(rows.map(([name]) => name))
  const room = columns === null ? Number.POSITIVE_INFINITY : columns - numbersWidth
  const isNarrow = room < namesWidthMin
  const namesRoom = isNarrow ? Math.floor((columns as number) / 2) : room
  const names = rows.map(([name]) => fittedTo(namesRoom, name, measure))
  const width = columnWidth(names.map(measure))
  const lines = rows.map(([, counts], at) => {
    const name = names[at] as string
    const cells = isNarrow ? wordsOf(counts) : numbersOf(counts)
    return `${name}${' '.repeat(width - measure(name))}${gap}${cells}`
  })
  if (!isNarrow) return [`${' '.repeat(width)}${gap}${statuses.join(gap)}`, ...lines]
  return lines.map((line) => fittedTo(columns as number, line, measure))
}

const numbersOf = (counts: Counts): string =>
  statuses.map((status) => String(counts[status]).padStart(status.length)).join(gap)

const wordsOf = (counts: Counts): string =>
  statuses
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${status}`)
    .join(', ')
