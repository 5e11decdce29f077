import { checkPriority, checkType } from './checks.ts'
import { InvalidTaskError } from './error.ts'
import { parseId } from './id.ts'
import { BadGlobError } from './matchers/bad-glob-error.ts'
import { compileTagPattern, type TagFilter } from './matchers/tag-pattern.ts'
import { checkStatus, type Status } from './status.ts'
import type { TaskDocument, TaskType } from './task.ts'

/** Which tasks to give: of each list any value will do, and all lists that are given must hold. */
export interface TaskFilter {
  /** Only those with one of these statuses. */
  readonly status?: readonly Status[] | undefined
  /** Only those with one of these priorities. */
  readonly priority?: readonly number[] | undefined
  /** Only those of one of these types. */
  readonly type?: readonly TaskType[] | undefined
  /** Only those with one of these tags. */
  readonly tag?: readonly string[] | undefined
  /** Globs with commas between them, of which one must match a tag. */
  readonly tag_pattern?: string | undefined
  /** Only those right below one of these tasks. */
  readonly parent_id?: readonly string[] | undefined
  /** Only those that one of these agents has. */
  readonly claimed_by?: readonly string[] | undefined
  /** Whether to give what retention deleted, too. */
  readonly include_deleted?: boolean | undefined
}

/** Which tasks to give, and which part of a long list. */
export interface TaskQuery extends TaskFilter {
  /** 1 to 1000, or infinity for all; 100 if left out. */
  readonly limit?: number | undefined
  /** How many to leave out first; none if left out. */
  readonly offset?: number | undefined
}

/** How many tasks a list gives where nothing is said. */
export const limitDefault = 100
/** How many it gives at most, but for `Infinity`. */
export const limitMax = 1000

const badQuery = (what: string, next: string): InvalidTaskError =>
  new InvalidTaskError('INVALID_QUERY', what, next)

const listNames = ['status', 'priority', 'type', 'tag', 'parent_id', 'claimed_by'] as const
const names = [...listNames, 'tag_pattern', 'include_deleted', 'limit', 'offset']

const unknownFilter = (name: string): InvalidTaskError =>
  badQuery(`Unknown filter: ${name.slice(0, 80)}.`, `Known are ${names.join(', ')}.`)

/** A query as texts, in each of which a comma means "or". */
export function parseQuery(given: Readonly<Record<string, string | undefined>>): TaskQuery {
  const query: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(given)) {
    if (text === undefined) continue
    if (!names.includes(name)) throw unknownFilter(name)
    query[name] = parsed(name, text)
  }
  return checkQuery(query)
}

function parsed(name: string, text: string): unknown {
  if (name === 'include_deleted') {
    if (text !== 'true' && text !== 'false')
      throw badQuery('include_deleted is neither true nor false.', 'Give one of the two.')
    return text === 'true'
  }
  if (name === 'tag_pattern') return text
  if (name === 'limit' || name === 'offset') return numberIn(text)
  const parts = text.split(',').map((part) => part.trim())
  return name === 'priority' ? parts.map(numberIn) : parts
}

const numberIn = (text: string): number =>
  /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN

/** Throws INVALID_QUERY for whatever can't be. */
export function checkQuery(given: TaskQuery | Record<string, unknown>): TaskQuery {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw badQuery('The query is no object.', `Give an object with ${names.join(', ')}.`)
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined) throw unknownFilter(unknown)
  const { limit = limitDefault, offset = 0 } = given
  const isAll = limit === Number.POSITIVE_INFINITY
  if (
    !isAll &&
    !(Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= limitMax)
  )
    throw badQuery(`A limit of ${limit} is not possible.`, `Give a number from 1 to ${limitMax}.`)
  if (!Number.isSafeInteger(offset) || (offset as number) < 0)
    throw badQuery(`An offset of ${offset} is not possible.`, 'Give a number from 0 on.')
  if (given.tag_pattern === '')
    throw badQuery('The filter tag_pattern is empty.', 'Give a pattern, or leave it out.')
  if (given.tag_pattern !== undefined) tagFilterOf(given.tag_pattern as string)
  for (const name of listNames) {
    const list = given[name]
    if (list !== undefined && !(Array.isArray(list) && list.every((value) => value !== '')))
      throw badQuery(`The filter ${name} has an empty value.`, 'Give a value, or leave it out.')
  }
  const { status, priority, type, parent_id } = given as TaskQuery
  asQuery(() => status?.forEach(checkStatus))
  asQuery(() => priority?.forEach(checkPriority))
  asQuery(() => type?.forEach(checkType))
  if (parent_id?.some((id) => parseId(id) === null))
    throw badQuery('parent_id is no id of a task.', 'Give a UUID, such as the ones lists show.')
  return {
    ...given,
    parent_id: parent_id?.map((id) => id.toLowerCase()),
    limit,
    offset,
  } as TaskQuery
}

/** What is wrong in a query is the query. */
function asQuery(check: () => void): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof InvalidTaskError)) throw error
    throw badQuery(error.what, error.next ?? '')
  }
}

export type Matches = (task: TaskDocument) => boolean

/** A checked filter as a test. */
export function matchesOf(filter: TaskFilter): Matches {
  const { status, priority, type, tag, tag_pattern, parent_id, claimed_by } = filter
  const hasPattern = tag_pattern === undefined ? undefined : tagFilterOf(tag_pattern)
  const isIn = <T>(values: readonly T[] | undefined, value: T | null): boolean =>
    values === undefined || (value !== null && values.includes(value))
  return (task) =>
    (filter.include_deleted === true || task.deleted_at === null) &&
    isIn(status, task.status) &&
    isIn(priority, task.priority) &&
    isIn(type, task.type) &&
    isIn(parent_id, task.parent_id) &&
    isIn(claimed_by, task.claimed_by) &&
    (tag === undefined || task.tags.some((each) => tag.includes(each))) &&
    (hasPattern === undefined || hasPattern(task.tags))
}

function tagFilterOf(pattern: string): TagFilter {
  try {
    return compileTagPattern(pattern)
  } catch (error) {
    if (!(error instanceof BadGlobError)) throw error
    throw badQuery(error.what, error.next ?? '')
  }
}
