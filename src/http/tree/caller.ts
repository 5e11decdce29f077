import { type By, type Task, versionOf } from '../../tree/index.ts'
import { kitError } from '../error.ts'
import { parseTagList } from '../etag.ts'
import type { Answer, Call } from '../route.ts'

/** Who changes things where nobody says. */
const anybody = 'user'

/** Who asks, and in which version of the task. */
export function byOf({ headers }: Call): { agent: string; version?: number } {
  const agent = headers['x-agent-id'] ?? anybody
  const wanted = headers['if-match']
  return wanted === undefined ? { agent } : { agent, ...versionIn(wanted) }
}

/** Who asks, as the caller of a route that needs to know. */
export const isNamed = ({ headers }: Call): boolean => headers['x-agent-id'] !== undefined

/**
 * The version of a task, and how deep it lies: that belongs to what a client reads, though a move of an ancestor
 * changes it and not the task. A client that asks for a version means the task.
 */
export const tagOf = (version: number, { depth }: Pick<Task, 'depth'>): string =>
  `"${version}-${depth}"`

function versionIn(header: string): { version?: number } {
  const tags = parseTagList(header)
  if (tags === '*') return {}
  const versions = tags.flatMap((tag) => /^"(\d{1,15})-\d+"$/.exec(tag)?.[1] ?? [])
  const [version] = versions
  if (version !== undefined && versions.length === 1) return { version: Number(version) }
  throw kitError(
    'PRECONDITION_FAILED',
    'If-Match names no version of this task. Give one ETag, as GET shows it, or *.',
  )
}

/** A task as the answer, with its ETag. */
export function taskAnswer(task: Task, status = 200): Answer {
  const version = versionOf(task)
  return { status, body: task, etag: version === undefined ? undefined : tagOf(version, task) }
}

/** Runs what changes one task, and answers with it. */
export const changing =
  (change: (id: string, by: By, call: Call) => Promise<Task>) =>
  async (call: Call): Promise<Answer> =>
    taskAnswer(await change(call.params['id'] as string, byOf(call), call))
