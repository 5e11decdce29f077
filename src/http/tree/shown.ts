import { type BulkResult, isChanged, type Task, TreeError, versionOf } from '../../tree/internal.ts'
import { parseTagList } from '../etag.ts'
import type { Shown } from '../operations.ts'
import type { Answer, Call, Fields } from '../route.ts'

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

const ifMatch: Fields = {
  'If-Match': {
    schema: {
      type: 'string',
      description: 'Change it only if its ETag is still this one, or one of these; `*` for any.',
    },
  },
}

/** In which versions of the task. */
export const byVersion = {
  fields: ifMatch,
  of: ({ headers }: Call): { version?: readonly number[] } => {
    const tags = parseTagList(headers['if-match'] ?? '*')
    return tags === '*' ? {} : { version: tags.flatMap(versionIn) }
  },
}

const unchanged = { 'X-Changed': 'false' }

export const taskShown: Shown<Task> = {
  // Where it already was as asked, that is said, too.
  answer: (task) => {
    const version = versionOf(task)
    const etag = version === undefined ? undefined : tagOf(version, task)
    return { status: 200, body: task, etag, ...(isChanged(task) ? {} : { headers: unchanged }) }
  },
  headers: { ETag: 'The version of the task, for If-Match and If-None-Match.' },
  changeHeaders: { 'X-Changed': '`false` if the task already was as asked.' },
  at: ({ id }) => `/api/tasks/${id}`,
}

export const bulkShown: Shown<readonly BulkResult[]> = {
  answer: (found, { body }): Answer => {
    const results = found.map(resultOf)
    const { action } = body as { action: string }
    const acts = results.map(({ id, code = null }) => ({
      ...{ action, id, code, isFailure: code === 'INTERNAL_ERROR' },
    }))
    return { status: 200, body: { results }, acts }
  },
}

/** What failed reads as it would by itself. */
function resultOf(result: BulkResult) {
  if (result.success)
    return { id: result.id, success: true, ...(result.changed ? {} : { changed: false }) }
  const { id, success, error } = result
  const told = error instanceof TreeError ? error : { code: 'INTERNAL_ERROR', details: {} }
  return { id, success, error: error.message, code: told.code, details: told.details }
}
