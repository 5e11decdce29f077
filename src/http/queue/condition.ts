import { ChangedMeanwhileError, type Condition, stateOf, type Task } from '../../queue/index.ts'
import { type Explain, kitError } from '../error.ts'
import { parseTagList } from '../etag.ts'
import { explainRefusal } from '../refusals.ts'
import type { Answer, Call, Fields } from '../route.ts'
import { whole } from './shown.ts'

export const ifMatch: Fields = {
  'If-Match': {
    schema: {
      type: 'string',
      description: 'Change it only if this still is its ETag; a lease that was renewed is fine.',
    },
  },
}

/** The state of a task, and until when its lease lasts: that is part of what a client reads, but not of what it means. */
const tagOf = (task: Task): string =>
  `"${stateOf(task)}-${task.lease_expires_at === null ? 0 : Date.parse(task.lease_expires_at)}"`

/** A task as the answer, with its ETag. */
export const taskAnswer = (
  task: Task,
  status = 200,
  more: Readonly<Record<string, string>> = {},
): Answer => ({ status, body: whole(task), headers: { ETag: tagOf(task), ...more } })

/** In which state of the task. */
export function conditionOf({ headers }: Call): Condition {
  const wanted = headers['if-match']
  if (wanted === undefined) return {}
  const tags = parseTagList(wanted)
  if (tags === '*') return {}
  const states = tags.flatMap((tag) => /^"([0-9a-f]{16})-\d+"$/.exec(tag)?.[1] ?? [])
  const [state] = states
  if (state !== undefined && states.length === 1) return { state }
  throw kitError(
    'PRECONDITION_FAILED',
    'If-Match names no state of this task. Give one ETag, as GET shows it, or *.',
  )
}

export const explainQueue: Explain = (thrown, method) =>
  thrown instanceof ChangedMeanwhileError
    ? kitError('PRECONDITION_FAILED', `${thrown.what} ${thrown.next}`, {
        details: { reason: thrown.code, status: thrown.status },
      })
    : explainRefusal(thrown, method)
