import { type By, isChanged, type Task, versionOf } from '../../tree/internal.ts'
import { parseTagList } from '../etag.ts'
import type { Answer, Call } from '../route.ts'

/** Who changes things where nobody says. */
const anybody = 'user'

/** Who asks, and in which versions of the task. */
export function byOf({ headers }: Call): { agent: string; version?: readonly number[] } {
  const agent = headers['x-agent-id'] ?? anybody
  const tags = parseTagList(headers['if-match'] ?? '*')
  return tags === '*' ? { agent } : { agent, version: tags.flatMap(versionIn) }
}

/** Who asks, as the caller of a route that needs to know. */
export const isNamed = ({ headers }: Call): boolean => headers['x-agent-id'] !== undefined

/**
 * The version of a task, and how deep it lies: that belongs to what a client reads, though a move of an ancestor
 * changes it and not the task. A client that asks for a version means the task.
 */
export const tagOf = (version: number, { depth }: Pick<Task, 'depth'>): string =>
  `"${version}-${depth}"`

/** The version that a tag of ours names. One that is weak never matches, for a change needs the very state. */
function versionIn(tag: string): number[] {
  const version = /^"(\d{1,15})-\d+"$/.exec(tag)?.[1]
  return version === undefined ? [] : [Number(version)]
}

const unchanged = { 'X-Changed': 'false' }

/** A task as the answer, with its ETag; where it already was as asked, that is said, too. */
export function taskAnswer(task: Task, status = 200): Answer {
  const version = versionOf(task)
  const etag = version === undefined ? undefined : tagOf(version, task)
  return { status, body: task, etag, ...(isChanged(task) ? {} : { headers: unchanged }) }
}

/** Runs what changes one task, and answers with it. */
export const changing =
  (change: (id: string, by: By, call: Call) => Promise<Task>) =>
  async (call: Call): Promise<Answer> =>
    taskAnswer(await change(call.params['id'] as string, byOf(call), call))
