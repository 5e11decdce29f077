import { jsonCodec } from '../collection/index.ts'
import { fieldsOf, type Goal, needString, type PlanTask } from './documents.ts'
import type { Status } from './status.ts'

/** What a title, a description and their time were, or are. */
export interface Wording {
  readonly title: string
  readonly description: string
  readonly updated_at: string
}

interface Payloads {
  readonly goal_set: { readonly goal: Goal }
  readonly goal_updated: { readonly goal_before: Goal; readonly goal_after: Goal }
  readonly task_added: { readonly task: PlanTask }
  readonly task_updated: {
    readonly task_id: string
    readonly before: Wording
    readonly after: Wording
  }
  readonly task_status_changed: {
    readonly task_id: string
    readonly title: string
    readonly status_before: Status
    readonly status_after: Status
    readonly updated_at: string
  }
}

/** What an event can be about. */
export type EventType = keyof Payloads

interface Common {
  readonly seq: number
  readonly at: string
  readonly reason: string | null
  /** The command that was run. */
  readonly cmd: string
}

/** One entry of a session's log. */
export type PlanEvent = {
  [Type in EventType]: Common & { readonly type: Type; readonly payload: Payloads[Type] }
}[EventType]

/** What an event is made of besides its number. */
export type Happening = {
  [Type in EventType]: { readonly type: Type; readonly payload: Payloads[Type] }
}[EventType]

const payloadFields: Readonly<Record<EventType, readonly string[]>> = {
  goal_set: ['goal'],
  goal_updated: ['goal_before', 'goal_after'],
  task_added: ['task'],
  task_updated: ['before', 'after'],
  task_status_changed: [],
}

/** The fields in the order of the specification. */
export const eventOf = (common: Common, { type, payload }: Happening): PlanEvent =>
  ({
    seq: common.seq,
    at: common.at,
    type,
    reason: common.reason,
    cmd: common.cmd,
    payload,
  }) as PlanEvent

export const eventCodec = jsonCodec<PlanEvent>((parsed, key) => {
  const event = fieldsOf(parsed)
  const seq = Number.parseInt(key.slice(key.lastIndexOf('/') + 1), 16)
  if (event['seq'] !== seq) throw new Error('its seq is not that of its key')
  needString(event, 'at')
  const type = event['type'] as EventType
  if (!Object.hasOwn(payloadFields, String(type))) throw new Error('it has no known type')
  const payload = fieldsOf(event['payload'])
  for (const name of payloadFields[type]) fieldsOf(payload[name])
  if (type === 'task_updated' || type === 'task_status_changed') needString(payload, 'task_id')
  return parsed as PlanEvent
})
