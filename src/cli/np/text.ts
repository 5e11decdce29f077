import {
  type Goal,
  glyphs,
  type Plan,
  type PlanEvent,
  type PlanTask,
  type Session,
  type SessionSummary,
  type Status,
  statuses,
} from '../../plan/internal.ts'
import { oneLine, printable } from '../../terminal/index.ts'
import {
  columnWidth,
  endFittedTo,
  fittedTo,
  gap,
  measureFor,
  padTo,
  sharedRoom,
} from '../program/display-width.ts'

/** A text of at most so many characters; an ellipsis stands for the rest. */
export function clipped(text: string, max: number): string {
  if (text.length <= max) return text
  if (max === 0) return ''
  return `${text.slice(0, boundaryBefore(text, max - 1))}…`
}

let graphemes: Intl.Segmenter | undefined

/** The last place up to this one that is not inside of what a person sees as one character. */
function boundaryBefore(text: string, at: number): number {
  graphemes ??= new Intl.Segmenter()
  const start = text.slice(0, at + 2)
  return graphemes.segment(start).containing(at)?.index ?? at
}

/** The lines of a text below something else; control characters but tabs are made harmless. */
function indented(text: string, indent: string): string[] {
  if (text === '') return []
  return text
    .split('\n')
    .map((line) => (indent + line.split('\t').map(printable).join('\t')).trimEnd())
}

/** Of a text with several lines the first, and an ellipsis. */
export function firstLine(text: string): string {
  const [first = '', ...more] = text.split('\n')
  return more.length > 0 ? `${first}…` : first
}

const pathMax = 500

/** A path for a message: of a very long one the start and the end. */
export function shortPath(path: string): string {
  if (path.length <= pathMax) return path
  const half = pathMax / 2
  return `${path.slice(0, half)}…${path.slice(-half)}`.toWellFormed()
}

/** Whether there is nothing more to do about a task. */
export const isSettled = ({ status }: PlanTask): boolean =>
  status !== 'pending' && status !== 'in_progress'

const inOrder = (a: PlanTask, b: PlanTask): number =>
  a.created_seq - b.created_seq || (a.id < b.id ? -1 : 1)

export interface Selection {
  /** In the order in which they were added, as all tasks are. */
  readonly shown: readonly PlanTask[]
  readonly leftOut: readonly PlanTask[]
}

/** The tasks to show where not all are: those in progress, then those that wait, then the newest of the rest. */
export function selection(tasks: readonly PlanTask[], max: number): Selection {
  return tasks.length <= max ? { shown: tasks, leftOut: [] } : selector(tasks)(max)
}

/** The same for a caller that tries several numbers. */
export function selector(tasks: readonly PlanTask[]): (max: number) => Selection {
  const ranked = [
    ...tasks.filter(({ status }) => status === 'in_progress'),
    ...tasks.filter(({ status }) => status === 'pending'),
    ...tasks.filter(isSettled).reverse(),
  ]
  return (max) => ({ shown: ranked.slice(0, max).sort(inOrder), leftOut: ranked.slice(max) })
}

/** What is explained even where no task has it. */
const alwaysExplained: readonly Status[] = ['pending', 'in_progress', 'completed']

/** What the glyphs mean; of those for what went wrong only such as are there. */
function legend(tasks: readonly PlanTask[]): string {
  const present = new Set(tasks.map(({ status }) => status))
  return statuses
    .filter((status) => alwaysExplained.includes(status) || present.has(status))
    .map((status) => `${glyphs[status]} ${inWords(status)}`)
    .join('  ')
}

/** `2 in progress, 3 pending`. */
export function counts(tasks: readonly PlanTask[]): string {
  const count = new Map<Status, number>()
  for (const { status } of tasks) count.set(status, (count.get(status) ?? 0) + 1)
  return statuses
    .filter((status) => count.has(status))
    .map((status) => `${count.get(status)} ${inWords(status)}`)
    .join(', ')
}

const inWords = (status: Status): string => status.replace('_', ' ')

/** A plan as text, of whose tasks only some may be shown. */
export function planLines({ session, goal, tasks }: Plan, { shown }: Selection): string[] {
  const list = shown.length === 0 ? [] : ['', legend(shown), ...shown.flatMap(taskLines)]
  return [
    sessionLine(session),
    ...goalLines(goal),
    ...(tasks.length === 0 ? ['', 'No tasks yet.'] : list),
  ]
}

function sessionLine({ sid, dir_path, archived_at }: Session): string {
  const end = archived_at === null ? '' : `, archived ${inSeconds(archived_at)}`
  return `Session ${sid} in ${oneLine(shortPath(dir_path))}${end}`
}

export function goalLines(goal: Goal | null): string[] {
  if (goal === null) return ['No goal set yet.']
  return [`Goal: ${oneLine(goal.title)}`, ...indented(goal.description, '  ')]
}

/** `☐ a1b2c3  Title`, and below it the description. */
export const taskLines = ({ id, title, description, status }: PlanTask): string[] => [
  `${glyphs[status]} ${id}  ${oneLine(title)}`,
  ...indented(description, '    '),
]

/** What a cut plan does not show: `100 of 5000 tasks; left out: 4900 completed.` */
export function cutLines({ shown, leftOut }: Selection): string[] {
  if (leftOut.length === 0) return []
  const total = shown.length + leftOut.length
  return [`${shown.length} of ${total} tasks; left out: ${counts(leftOut)}. --all shows all.`]
}

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

/** Where directory and goal have less room than this, the time goes: the list is in its order anyway. */
const restWanted = 30
/** With less room directory and goal are cut as one, and with less than the other the goal has all of it. */
const restMin = 6
const bothMin = 16

/**
 * Sessions in a list: id, state, last change, directory, goal. On a terminal of so many columns the last two are cut
 * where they have no room.
 */
export async function sessionRows(
  summaries: readonly SessionSummary[],
  columns: number | null,
): Promise<string[]> {
  const rows = summaries.map(sessionRow)
  if (columns === null) return rows
  const cells = summaries.map(cellsOf)
  const [directories, goals] = [
    cells.map(({ directory }) => directory),
    cells.map(({ goal }) => goal),
  ]
  const measure = await measureFor([...directories, ...goals])
  if (rows.every((row) => measure(row) <= columns)) return rows
  const widthOf = (texts: readonly string[]) => columnWidth(texts.map(measure))
  const restBeside = (heads: readonly string[]) => columns - widthOf(heads) - gap.length
  const full = cells.map(({ head }) => head)
  const heads = restBeside(full) < restWanted ? cells.map(({ shortHead }) => shortHead) : full
  const rest = restBeside(heads)
  if (rest < restMin) return rows.map((row) => fittedTo(columns, row, measure))
  const room =
    rest < bothMin
      ? { main: rest - gap.length - 1, extra: 1 }
      : sharedRoom(rest, widthOf(goals), widthOf(directories))
  return cells.map(({ directory, goal }, nth) => {
    const end = padTo(room.extra, endFittedTo(room.extra, directory, measure), measure)
    return [heads[nth], end, fittedTo(room.main, goal, measure)].join(gap)
  })
}

/** A session in one line, however long. */
export function sessionRow(summary: SessionSummary): string {
  const { head, directory, goal } = cellsOf(summary)
  return [head, directory, goal].join(gap)
}

function cellsOf({ session, goal }: SessionSummary) {
  const { sid, state, last_updated_at, dir_path } = session
  const shortHead = [sid, state.padEnd('archived'.length)].join(gap)
  return {
    shortHead,
    head: [shortHead, inSeconds(last_updated_at)].join(gap),
    directory: oneLine(dir_path),
    goal: goal ? oneLine(goal.title) : '(no goal yet)',
  }
}

/** A time without its fractions: `2026-01-31T12:34:56Z`. */
export const inSeconds = (time: string): string => oneLine(time).replace(/\.\d+(?=Z$)/, '')
