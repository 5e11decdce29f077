import type { Goal, Plan, PlanEvent, PlanTask } from '../../plan/index.ts'
import type { Answer } from '../program/output.ts'
import { printableJson } from '../program/printable.ts'
import { eventLines, happening } from './event-text.ts'
import { counts } from './glyph.ts'
import { nextStep } from './next-step.ts'
import { planLines } from './plan-text.ts'
import { isSettled, type Selection, selector } from './selection.ts'
import { shortPath } from './session.ts'
import { clipped } from './text.ts'

/** What restoring a plan may cost an agent, whatever the size of the plan. */
export const charactersMax = 4_000
/** How many events are told of at most. */
export const eventsMax = 20

/** How much is told: characters of texts, and how many events. */
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

const whole = Number.POSITIVE_INFINITY
const tasksMax = 100

/** From everything to what always fits. */
const details: readonly Detail[] = [
  { title: whole, goal: whole, open: whole, settled: whole, events: 20, tasksMin: whole },
  { title: whole, goal: whole, open: whole, settled: whole, events: 5, tasksMin: whole },
  { title: whole, goal: whole, open: whole, settled: 0, events: 10, tasksMin: whole },
  { title: 200, goal: 1_200, open: 400, settled: 0, events: 8, tasksMin: tasksMax },
  { title: 120, goal: 1_000, open: 160, settled: 0, events: 6, tasksMin: 30 },
  { title: 100, goal: 800, open: 80, settled: 0, events: 5, tasksMin: 20 },
  { title: 80, goal: 600, open: 0, settled: 0, events: 5, tasksMin: 10 },
  { title: 40, goal: 200, open: 0, settled: 0, events: 3, tasksMin: 0 },
]

interface RecentEvents {
  readonly events: readonly PlanEvent[]
  readonly total: number
}

/** What surrounds the plan. */
interface Frame {
  /** What names the session in a command: nothing, or a space and its id. */
  readonly named: string
  /** The last lines. */
  readonly next: readonly string[]
}

interface Fit extends Frame {
  readonly isJson: boolean
  /** How many characters there is room for. */
  readonly max?: number
}

/** A plan and its newest events, with as much detail as there is room for. */
export function fitted(
  plan: Plan,
  log: RecentEvents,
  { isJson, max = charactersMax, ...frame }: Fit,
): Answer {
  const select = selector(plan.tasks)
  const answerWith = (detail: Detail, taskCount: number) =>
    summary(plan, log, { detail, selected: select(taskCount), ...frame })
  const fits = (detail: Detail, taskCount: number) =>
    lengthOf(answerWith(detail, taskCount), isJson) <= max
  const wanted = Math.min(plan.tasks.length, tasksMax)
  for (const detail of details) {
    const least = Math.min(wanted, detail.tasksMin)
    if (!fits(detail, least)) continue
    const most = largest(least, wanted, (count) => fits(detail, count))
    return answerWith(detail, most)
  }
  return answerWith(details.at(-1) as Detail, 0)
}

/** The largest number for which something holds, from one for which it does up to a limit. */
function largest(from: number, limit: number, holds: (count: number) => boolean): number {
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

function summary(
  plan: Plan,
  { events, total }: RecentEvents,
  { detail, selected, named, next }: { detail: Detail; selected: Selection } & Frame,
): Answer {
  const { session } = plan
  const { shown, leftOut } = selected
  const short = shown.map((task) => shortTask(task, detail))
  const goal = plan.goal && shortGoal(plan.goal, detail)
  const recent = detail.events === 0 ? [] : events.slice(-detail.events)
  const missing = {
    tasks: counts(leftOut),
    events: total - recent.length,
    isTextCut: short.some((task, at) => !isSame(task, shown[at])) || !isSame(goal, plan.goal),
  }
  const left_out = missingText(missing, named)
  return {
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
      ...planLines({ session, goal }, { shown: short, leftOut }),
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

interface Missing {
  readonly tasks: string
  readonly events: number
  readonly isTextCut: boolean
}

/** What was left out, and where to find it; null for nothing. */
function missingText({ tasks, events, isTextCut }: Missing, named: string): string | null {
  const plan = [
    ...(tasks === '' ? [] : [`tasks: ${tasks}`]),
    ...(isTextCut ? ['parts of long texts'] : []),
  ]
  const parts = [
    ...(plan.length === 0 ? [] : [`${plan.join('; ')} (np p${named} --all)`]),
    ...(events === 0 ? [] : [`${events} older events (np e${named} --all)`]),
  ]
  return parts.length === 0 ? null : `Left out: ${parts.join('; ')}.`
}
