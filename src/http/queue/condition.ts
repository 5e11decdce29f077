import { stateOf, type Task } from '../../queue/internal.ts'
import { tagged } from '../etag.ts'
import type { Answer } from '../route.ts'
import { whole } from './shown.ts'

/** The state of a task, and until when its lease lasts: that is part of what a client reads, but not of what it means. */
const tagOf = (task: Task) =>
  tagged(stateOf(task), task.lease_expires_at === null ? 0 : Date.parse(task.lease_expires_at))

/** A task as the answer, with its ETag. */
export const taskAnswer = (
  task: Task,
  status = 200,
  more: Readonly<Record<string, string>> = {},
): Answer => ({ status, body: whole(task), headers: { ...tagOf(task), ...more } })
