import { jsonCodec } from '../collection/index.ts'
import { type DocumentOf, documentIn } from '../schema/index.ts'
import { goalFields, sessionFields, taskFields } from './fields.ts'

/** A session: one goal and its tasks, for one directory. Times are RFC 3339. */
export interface Session extends DocumentOf<typeof sessionFields> {}

/** What a session is for. */
export interface Goal extends DocumentOf<typeof goalFields> {}

/** One step of a plan. */
export interface PlanTask extends DocumentOf<typeof taskFields> {}

export const sessionCodec = jsonCodec<Session>((parsed, sid) => {
  const session = documentIn(sessionFields, parsed)
  if (session.sid !== sid) throw new Error('its sid is not that of its key')
  return session
})

export const goalCodec = jsonCodec<Goal>((parsed) => documentIn(goalFields, parsed))

export const taskCodec = jsonCodec<PlanTask>((parsed, id) => {
  const task = documentIn(taskFields, parsed)
  if (task.id !== id) throw new Error('its id is not that of its key')
  return task
})
