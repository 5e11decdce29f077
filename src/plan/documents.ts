import { jsonCodec } from '../collection/index.ts'
import { type Status, statuses } from './status.ts'

/** A session: one goal and its tasks, for one directory. */
export interface Session {
  /** A ULID; the first characters that no other session has are enough to name it. */
  readonly sid: string
  /** The directory it belongs to, without symbolic links. */
  readonly dir_path: string
  /** BLAKE3 of that path. */
  readonly dir_hash: string
  /** Whether it is the directory's plan now, or a plan of the past. */
  readonly state: 'active' | 'archived'
  /** When it was started; RFC 3339. */
  readonly created_at: string
  /** When it was archived; null while it is active. */
  readonly archived_at: string | null
  /** When anything in it changed last; RFC 3339. */
  readonly last_updated_at: string
}

/** What a session is for. */
export interface Goal {
  /** In a few words. */
  readonly title: string
  /** In more; empty where there is no more to say. */
  readonly description: string
  /** When it was last set or changed; RFC 3339. */
  readonly updated_at: string
}

/** One step of a plan. */
export interface PlanTask {
  /** Follows from its words and its session, so adding the same task again changes nothing. */
  readonly id: string
  /** In a few words. */
  readonly title: string
  /** In more; empty where there is no more to say. */
  readonly description: string
  /** How far it is. */
  readonly status: Status
  /** When it was added; RFC 3339. */
  readonly created_at: string
  /** When it was last changed; RFC 3339. */
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
