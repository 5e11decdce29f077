import { jsonCodec } from '../collection/index.ts'
import { checkField, type DocumentOf, documentIn, objectIn, text } from '../schema/index.ts'
import type { Goal, PlanTask } from './documents.ts'
import { eventFields } from './fields.ts'
import type { Status } from './status.ts'

/** What a title, a description and their time were, or are. */
interface Wording {
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

type Common = Pick<DocumentOf<typeof eventFields>, 'seq' | 'at' | 'reason' | 'cmd'>

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
  const event = documentIn(eventFields, parsed)
  const seq = Number.parseInt(key.slice(key.lastIndexOf('/') + 1), 16)
  if (event.seq !== seq) throw new Error('its seq is not that of its key')
  const payload = objectIn(event.payload)
  for (const name of payloadFields[event.type]) objectIn(payload[name])
  if (event.type === 'task_updated' || event.type === 'task_status_changed')
    checkField(text, 'task_id', payload['task_id'])
  return event as unknown as PlanEvent
})
