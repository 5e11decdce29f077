import type { Task, TaskQuery, TaskTree } from '../../tree/internal.ts'
import type { Options } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { pageOptions as commonOptions, maxOf } from '../program/option-value.ts'
import { typed } from '../program/text.ts'
import { priorities, statuses, types } from './options.ts'
import { taskRows } from './rows.ts'
import { checkedPrefix, library } from './tree.ts'

/** What chooses among tasks that can be started. */
export const readyFilters = {
  priority: {
    value: 'N',
    isMany: true,
    about: 'of priority N, or one of 0,1',
    completes: priorities,
  },
  type: {
    value: 'TYPE',
    isMany: true,
    about: 'of this type, or one of bug,task',
    completes: types,
  },
  tag: { value: 'TAG', isMany: true, about: 'with this tag, or one of a,b' },
  'tag-pattern': {
    value: 'GLOB',
    isMany: true,
    aliases: ['tag_pattern'],
    about: "with a tag that matches, as 'area/**'",
  },
  parent: {
    value: 'ID',
    isMany: true,
    aliases: ['parent-id', 'parent_id'],
    about: 'directly below this task',
  },
} as const satisfies Options

export const filters = {
  status: {
    value: 'STATUS',
    isMany: true,
    about: 'with this status, or one of open,blocked',
    completes: statuses,
  },
  ...readyFilters,
  'claimed-by': {
    value: 'AGENT',
    isMany: true,
    aliases: ['claimed_by'],
    about: 'claimed by this agent',
  },
  'include-deleted': { aliases: ['include_deleted'], about: 'also what retention has deleted' },
} as const satisfies Options

export const includeDeleted = { 'include-deleted': filters['include-deleted'] } as const

const limitDefault = 100

const { limit, all } = commonOptions(limitDefault)

/** What every list takes to show more, less, or what comes after. */
export const pageOptions = {
  limit,
  offset: { value: 'N', about: 'leave out the first N' },
  all,
} as const satisfies Options

/** What part of a list to show. */
export function pageOf(context: Context): { limit: number; offset: number } {
  const limit = maxOf(context, limitDefault)
  const given = context.args.value('offset') ?? '0'
  if (!/^\d{1,15}$/.test(given))
    throw context.usageError(
      `--offset takes no "${typed(given)}".`,
      'Give a whole number from 0 on.',
    )
  return { limit, offset: Number(given) }
}

/** Makes a query that knows its parents by their whole ids. */
type Resolve = (tree: TaskTree) => Promise<TaskQuery>

/** What the options ask for; what can never be is refused before the store is opened. */
export async function queryOf(context: Context): Promise<Resolve> {
  const { args } = context
  const { parseQuery } = await library()
  const joined = (name: string) => (args.has(name) ? args.values(name).join(',') : undefined)
  const query = parseQuery({
    status: joined('status'),
    priority: joined('priority'),
    type: joined('type'),
    tag: joined('tag'),
    tag_pattern: joined('tag-pattern'),
    claimed_by: joined('claimed-by'),
    include_deleted: args.has('include-deleted') ? 'true' : undefined,
  })
  const page = pageOf(context)
  const parents = (joined('parent')?.split(',') ?? []).map(checkedPrefix)
  const prefixes = await Promise.all(parents)
  return async (tree) => {
    if (prefixes.length === 0) return { ...query, ...page }
    const parent_id = await Promise.all(prefixes.map((prefix) => tree.resolve(prefix)))
    return { ...query, ...page, parent_id }
  }
}

/** Answers with a list of tasks, whole or in part. */
export async function answerList(
  { out }: Context,
  tasks: readonly Task[],
  total: number,
): Promise<void> {
  out.answer({
    kind: 'task.list',
    data: tasks,
    total,
    lines: out.isJson ? [] : await taskRows(tasks, await out.columns()),
  })
  // Nothing at all looks like a program that failed; a pipe wants it that way.
  if (total === 0 && (await out.isForEyes())) out.note('No task matches.')
}
