import { jsonCodec } from '../collection/index.ts'
import { type Status, statuses } from './status.ts'

/** A session: one goal and its tasks, for one directory. */
export interface Session {
  readonly sid: string
  readonly dir_path: string
  readonly dir_hash: string
  readonly state: 'active' | 'archived'
  readonly created_at: string
  readonly archived_at: string | null
  readonly last_updated_at: string
}

export interface Goal {
  readonly title: string
  readonly description: string
  readonly updated_at: string
}

export interface PlanTask {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly status: Status
  readonly created_at: string
  readonly updated_at: string
  /** The number of the event that added it: tasks are shown in this order. */
  readonly created_seq: number
}

export const sessionCodec = jsonCodec<Session>((parsed, sid) => {
  const session = fieldsOf(parsed)
  if (session['sid'] !== sid) throw new Error('its sid is not that of its key')
  for (const name of ['dir_path', 'dir_hash', 'created_at', 'last_updated_at'])
    needString(session, name)
  if (session['state'] !== 'active' && session['state'] !== 'archived')
    throw new Error('its state is neither active nor archived')
  if (session['archived_at'] !== null) needString(session, 'archived_at')
  return parsed as Session
})

export const goalCodec = jsonCodec<Goal>((parsed) => {
  const goal = fieldsOf(parsed)
  for (const name of ['title', 'description', 'updated_at']) needString(goal, name)
  return parsed as Goal
})

export const taskCodec = jsonCodec<PlanTask>((parsed, id) => {
  const task = fieldsOf(parsed)
  if (task['id'] !== id) throw new Error('its id is not that of its key')
  for (const name of ['title', 'description', 'created_at', 'updated_at']) needString(task, name)
  if (!statuses.includes(task['status'] as Status)) throw new Error('it has no known status')
  if (!Number.isSafeInteger(task['created_seq'])) throw new Error('its created_seq is no number')
  return parsed as PlanTask
})

export function fieldsOf(parsed: unknown): Record<string, unknown> {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Error('it is no JSON object')
  return parsed as Record<string, unknown>
}

export function needString(fields: Record<string, unknown>, name: string): void {
  if (typeof fields[name] !== 'string') throw new Error(`its ${name} is no string`)
}
