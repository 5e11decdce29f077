import type { Goal, Plan, PlanEvent, PlanTask } from '../../plan/internal.ts'
import { printableJson } from '../../terminal/index.ts'
import type { Context } from '../program/context.ts'
import type { Answer } from '../program/output.ts'
import { planMax } from './options.ts'
import {
  clipped,
  counts,
  eventLines,
  happening,
  isSettled,
  planLines,
  type Selection,
  selector,
  shortPath,
} from './text.ts'

/** What reading a plan may cost an agent, whatever the size of the plan. */
export const charactersMax = 4_000
/** How many events are shown at most. */
export const eventsMax = 20

/** How much is shown: characters of texts, and how many events. */
interface Detail {
  readonly title: number
  readonly goal: number
  /** Of a task that is still to be done, and of one that is not. */
  readonly open: number
  readonly settled: number
  readonly events: number
  /** Fewer tasks than this are not worth so much detail. */
  readonly tasksMin: number
}

/** Longer texts never fit, so nothing needs to render them whole to find out. */
const whole = charactersMax
const every = Number.POSITIVE_INFINITY
/** Less of a description says nothing. */
export const descriptionMin = 40

/** From everything to what always fits. */
const details: readonly Detail[] = [
  { title: whole, goal: whole, open: whole, settled: whole, events: 20, tasksMin: every },
  { title: whole, goal: whole, open: whole, settled: whole, events: 5, tasksMin: every },
  { title: whole, goal: whole, open: whole, settled: 0, events: 10, tasksMin: every },
  { title: 200, goal: 1_200, open: 400, settled: 0, events: 8, tasksMin: planMax },
  { title: 120, goal: 1_000, open: 160, settled: 0, events: 6, tasksMin: 30 },
  { title: 100, goal: 800, open: 80, settled: 0, events: 5, tasksMin: 20 },
  { title: 80, goal: 600, open: 0, settled: 0, events: 5, tasksMin: 10 },
  { title: 40, goal: 200, open: 0, settled: 0, events: 3, tasksMin: 0 },
]

interface RecentEvents {
  readonly events: readonly PlanEvent[]
  readonly total: number
}

/** What a summary does not show. */
export interface Missing {
  readonly tasks: readonly PlanTask[]
  readonly events: number
  readonly isTextCut: boolean
}

/** An answer, and what it lacks. */
interface Summary extends Answer {
  readonly missing: Missing
}

/** What surrounds the plan. */
interface SummaryNotes {
  /** Says what is missing; null for nothing. */
  readonly missingText: (missing: Missing) => string | null
  /** The last lines. */
  readonly next: readonly string[]
}

interface SummaryOptions extends SummaryNotes {
  /** Tasks that are shown elsewhere already. */
  readonly listed?: ReadonlySet<string>
  readonly isJson: boolean
  /** How many characters there is room for, and how many tasks. */
  readonly max?: number
  readonly tasksMax?: number
  /** Whose descriptions fill the room that is left: of all tasks, or only of those that are still to be done. */
  readonly fillWith?: 'all' | 'open'
}

/** A plan and its newest events, with as much detail as there is room for. */
export function summaryOf(
  plan: Plan,
  log: RecentEvents,
  { isJson, max = charactersMax, tasksMax = planMax, ...rest }: SummaryOptions,
): Summary {
  const { listed = new Set(), fillWith = 'open', ...frame } = rest
  const tasks = plan.tasks.filter(({ id }) => !listed.has(id))
  const select = selector(tasks)
  const answerWith = (detail: Detail, taskCount: number) =>
    summaryWith(plan, log, { detail, selected: select(taskCount), ...frame })
  const fits = (detail: Detail, taskCount: number) =>
    lengthOf(answerWith(detail, taskCount), isJson) <= max
  const wanted = Math.min(tasks.length, tasksMax)
  for (const detail of details) {
    const least = Math.min(wanted, detail.tasksMin)
    if (!fits(detail, least)) continue
    const most = largest(least, wanted, (count) => fits(detail, count))
    return answerWith(
      withMoreText(detail, fillWith, (richer) => fits(richer, most)),
      most,
    )
  }
  return answerWith(details.at(-1) as Detail, 0)
}

/** Fills the room that is left with descriptions: first of tasks that are still to be done, then of the others. */
function withMoreText(
  detail: Detail,
  fillWith: 'all' | 'open',
  fits: (richer: Detail) => boolean,
): Detail {
  let best = detail
  for (const part of fillWith === 'all' ? (['open', 'settled'] as const) : (['open'] as const)) {
    const most = largest(best[part], whole, (length) => fits({ ...best, [part]: length }))
    if (most >= descriptionMin) best = { ...best, [part]: most }
  }
  return best
}

/** The largest number for which something holds, from one for which it does up to a limit. */
export function largest(from: number, limit: number, holds: (count: number) => boolean): number {
  let [low, high] = [from, limit]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}

function lengthOf({ kind, data, lines }: Answer, isJson: boolean): number {
  const text = isJson ? printableJson({ v: 1, kind, data }) : lines.join('\n')
  return text.length + '\n'.length
}

function summaryWith(
  plan: Plan,
  { events, total }: RecentEvents,
  { detail, selected, missingText, next }: { detail: Detail; selected: Selection } & SummaryNotes,
): Summary {
  const { session } = plan
  const { shown, leftOut } = selected
  const short = shown.map((task) => shortTask(task, detail))
  const goal = plan.goal && shortGoal(plan.goal, detail)
  const recent = detail.events === 0 ? [] : events.slice(-detail.events)
  const missing = {
    tasks: leftOut,
    events: total - recent.length,
    isTextCut: short.some((task, at) => !isSame(task, shown[at])) || !isSame(goal, plan.goal),
  }
  const left_out = missingText(missing)
  return {
    missing,
    kind: 'plan',
    data: {
      session: { ...session, dir_path: shortPath(session.dir_path) },
      goal,
      tasks: short,
      events: recent.map((event) => shortEvent(event, detail)),
      left_out,
      next: nextStep(plan),
    },
    lines: [
      ...planLines({ session, goal, tasks: plan.tasks }, { shown: short, leftOut }),
      ...(recent.length === 0 ? [] : ['', 'Recent events:']),
      ...recent.flatMap((event) => eventLines(event, detail.title)),
      ...(left_out === null ? [] : ['', left_out]),
      ...next,
    ],
  }
}

const isSame = (a: Goal | PlanTask | null, b: Goal | PlanTask | null | undefined): boolean =>
  a?.title === b?.title && a?.description === b?.description

const shortGoal = (goal: Goal, detail: Detail): Goal => ({
  ...goal,
  title: clipped(goal.title, detail.title),
  description: clipped(goal.description, detail.goal),
})

const shortTask = (task: PlanTask, detail: Detail): PlanTask => ({
  ...task,
  title: clipped(task.title, detail.title),
  description: clipped(task.description, isSettled(task) ? detail.settled : detail.open),
})

/** An event without the documents that it holds: what it says of them in a line. */
const shortEvent = (event: PlanEvent, { title }: Detail) => ({
  seq: event.seq,
  at: event.at,
  type: event.type,
  reason: event.reason && clipped(event.reason, title),
  text: clipped(happening(event), title),
})

/** What was left out, and where to find it: after a command that names the session by a space and its id, or not. */
export const leftOutText =
  (named: string) =>
  ({ tasks, events, isTextCut }: Missing): string | null => {
    const plan = [
      ...(tasks.length === 0 ? [] : [`tasks: ${counts(tasks)}`]),
      ...(isTextCut ? ['parts of long texts'] : []),
    ]
    const parts = [
      ...(plan.length === 0 ? [] : [`${plan.join('; ')} (np p${named} --all)`]),
      ...(events === 0 ? [] : [`${events} older events (np e${named} --all)`]),
    ]
    return parts.length === 0 ? null : `Left out: ${parts.join('; ')}.`
  }

/** The next useful command; null for a session that is over. */
export function nextStep({ session, goal, tasks }: Plan): string | null {
  if (session.state === 'archived') return null
  if (goal === null) return 'np g s -t TITLE -d DESCRIPTION'
  if (tasks.length === 0) return 'np t a -t TITLE -d DESCRIPTION'
  const current = tasks.find(({ status }) => status === 'in_progress')
  if (current) return `np t u -i ${current.id} -s completed`
  const waiting = tasks.find((task) => !isSettled(task))
  return waiting ? `np t u -i ${waiting.id} -s in_progress` : 'np a'
}

/** The next step of a session that was named stands where that can be taken. */
export function nextLines({ args }: Context, plan: Plan): string[] {
  const next = nextStep(plan)
  if (next === null || args.has('quiet')) return []
  const isElsewhere = args.words.length > 0
  return [
    '',
    isElsewhere ? `Next, in ${shortPath(plan.session.dir_path)}: ${next}` : `Next: ${next}`,
  ]
}
