import { describedRows } from './description.ts'
import type { SessionState, Size } from './state.ts'

/** What has a place on the screen, in rows; and in columns where panes stand side by side. */
export interface Layout {
  /** Goal and state, and below it directory and id: 0, 1 or 2 rows. */
  readonly head: number
  readonly description: number
  /** Free rows below those. */
  readonly space: number
  readonly footer: number
  /** The rows of each list, without its title; a pane without a place has null. */
  readonly tasks: number
  readonly events: number | null
  /** The columns of the tasks where the log stands beside them; null where it stands below. */
  readonly tasksColumns: number | null
}

/** From so many columns on the log stands beside the tasks. */
const wideColumnsMin = 110
/** The share of the log where the tasks would fill the screen. */
const eventsShare = 0.4
const eventsRowsMin = 3

export function layoutOf({ columns, rows }: Size, session: SessionState): Layout {
  const head = rows >= 10 ? 2 : rows >= 2 ? 1 : 0
  const footer = rows >= 4 ? 1 : 0
  const description =
    rows >= 18 ? describedRows(session.goal?.description ?? '', columns).length : 0
  const space = rows >= 30 ? 1 : 0
  // What follows, the titles of the panes among it.
  const body = rows - head - footer - description - space
  const parts = { head, footer, description, space }
  if (columns >= wideColumnsMin && body >= 4) {
    const list = body - 1
    return { ...parts, tasks: list, events: list, tasksColumns: Math.floor(columns * 0.5) }
  }
  if (body < 6) return { ...parts, tasks: Math.max(0, body - 1), events: null, tasksColumns: null }
  return { ...parts, ...stacked(body - 2, session), tasksColumns: null }
}

/** Tasks take what they need and the log the rest, but always its share. */
function stacked(rows: number, { tasks }: SessionState): { tasks: number; events: number } {
  const share = Math.max(Math.min(eventsRowsMin, rows - 1), Math.floor(rows * eventsShare))
  const forTasks = Math.min(rows - share, Math.max(1, tasks.length))
  return { tasks: forTasks, events: rows - forTasks }
}

/** The rows of the list of sessions, without its title and the names of its columns. */
export const pickerRows = ({ rows }: Size): number => Math.max(0, rows - (rows >= 4 ? 3 : 1))
