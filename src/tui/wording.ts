import { glyphs, type PlanEvent, type Status, type StoredEvent } from '../plan/internal.ts'
import { printable } from '../terminal/index.ts'

/** Colours by the names that Ink has for them; undefined is the terminal's own. */
export type Colour = 'green' | 'red' | 'yellow' | 'cyan' | undefined

export const statusColours: Readonly<Record<Status, Colour>> = {
  pending: undefined,
  in_progress: 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: undefined,
}

/** What the log says became of a task. */
const statusWords: Readonly<Record<Status, string>> = {
  pending: 'reopened',
  in_progress: 'started',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
}

/** So wide that every word for an event fits. */
export const whatColumns = 'goal changed'.length

/** An event in words. */
export interface EventWords {
  readonly at: string | null
  readonly glyph: string
  readonly colour: Colour
  readonly what: string
  /** The id of the task; empty for what concerns the goal. */
  readonly id: string
  readonly title: string
  readonly reason: string | null
}

export function eventWords({ seq, event, problem }: StoredEvent<PlanEvent>): EventWords {
  if (event === null)
    return {
      ...{ at: null, glyph: '?', colour: 'red', what: 'unreadable', id: '' },
      ...{ title: `Event ${seq} can't be read: ${problem}.`, reason: null },
    }
  const { at, reason } = event
  return { at, reason, ...happening(event) }
}

function happening(event: PlanEvent): Omit<EventWords, 'at' | 'reason'> {
  switch (event.type) {
    case 'goal_set':
      return goalWords('goal set', event.payload.goal.title)
    case 'goal_updated':
      return goalWords('goal changed', event.payload.goal_after.title)
    case 'task_added': {
      const { id, title } = event.payload.task
      return { glyph: '+', colour: undefined, what: 'added', id, title }
    }
    case 'task_updated': {
      const { task_id: id, after } = event.payload
      return { glyph: '~', colour: 'cyan', what: 'changed', id, title: after.title }
    }
    case 'task_status_changed': {
      const { task_id: id, title, status_after: status } = event.payload
      return {
        ...{ glyph: glyphs[status] ?? '?', colour: statusColours[status] },
        ...{ what: statusWords[status] ?? String(status), id, title: String(title) },
      }
    }
  }
}

const goalWords = (what: string, title: unknown) =>
  ({ glyph: '◆', colour: 'cyan', what, id: '', title: String(title) }) as const

/** Text that somebody else wrote, in one line and harmless for a terminal. */
export const plain = (text: string): string =>
  printable(text.replaceAll(/[^\S\u2028\u2029\ufeff]+/g, ' '))

/** A path as a person would write it. */
export function placeText(path: string, { home, here }: { home: string; here: string }): string {
  if (path === here) return 'this directory'
  return plain(path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path)
}
