import type { PlanEvent } from '../../plan/internal.ts'
import { oneLine } from '../program/printable.ts'
import { inSeconds } from './session-row.ts'
import { clipped, indented } from './text.ts'

/** What happened, in one line: `7  2026-01-31T12:34:56Z  task_added  a1b2c3 Write tests`. */
function eventLine(event: PlanEvent, max = Number.POSITIVE_INFINITY): string {
  const { seq, at, type } = event
  return `${seq}  ${inSeconds(at)}  ${type}  ${clipped(happening(event), max)}`.trimEnd()
}

/** The same, and below it the reason. */
export function eventLines(event: PlanEvent, max?: number): string[] {
  const reason = event.reason ? `reason: ${clipped(event.reason, max ?? event.reason.length)}` : ''
  return [eventLine(event, max), ...indented(reason, '    ')]
}

type Show = (text: string) => string

/**
 * What an event is about, and what became of it, with its texts as `show` has them. Somebody else may have written less
 * than belongs there.
 */
export function happening(event: PlanEvent, show: Show = oneLine): string {
  const word = (text: unknown): string => (typeof text === 'string' ? show(text) : '?')
  const rewording = ({ title: before }: Worded, { title: after }: Worded): string =>
    before === after ? `${word(after)} (description)` : `${word(before)} → ${word(after)}`
  switch (event.type) {
    case 'goal_set':
      return word(event.payload.goal.title)
    case 'goal_updated':
      return rewording(event.payload.goal_before, event.payload.goal_after)
    case 'task_added': {
      const { id, title } = event.payload.task
      return `${word(id)} ${word(title)}`
    }
    case 'task_updated': {
      const { task_id, before, after } = event.payload
      return `${word(task_id)} ${rewording(before, after)}`
    }
    case 'task_status_changed': {
      const { task_id, title, status_before, status_after } = event.payload
      return `${word(task_id)} ${word(status_before)} → ${word(status_after)}: ${word(title)}`
    }
  }
}

interface Worded {
  readonly title: string
  readonly description: string
}
