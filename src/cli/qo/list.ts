import type { ListFilter, Queue, Task, TaskPage, TaskStatus } from '../../queue/internal.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { Progress } from '../program/progress.ts'
import { pageExclusive, pageLimitOf, pageOptions } from './page.ts'
import { library, withQueue } from './queue.ts'
import { taskRows } from './row.ts'
import { statuses } from './words.ts'

export const list: Command = {
  name: 'list',
  about: 'list tasks, the newest first',
  details: 'Archived ones are listed only with --status archived or --all.',
  options: {
    shard: { value: 'DIGIT', about: 'only of one shard, 0 to f' },
    status: { value: 'STATUS', about: 'only with this status', choices: statuses },
    type: { short: 't', value: 'TYPE', about: 'only of this type' },
    ...pageOptions,
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
    const limit = pageLimitOf(context)
    const { tasks, total, left } = await withQueue(context, async (queue) => {
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
