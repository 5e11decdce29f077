import type { Plan, PlanTask } from '../../plan/internal.ts'
import { planMax } from './options.ts'
import { charactersMax, descriptionMin, largest, type Missing, summaryOf } from './summary.ts'
import { clipped, counts, planLines, taskLines } from './text.ts'

/** How much of it the plan has below the changed tasks, if it needs that much. */
const planCharacters = 600
/** Of a title, where there is no room for all of them. */
const titleMax = 80
/** For the words around a list of ids. */
const moreMargin = 100
/** Longer texts never fit. */
const whole = charactersMax

interface Changed {
  /** What became of the tasks: `Added`. */
  readonly verb: string
  /** The tasks that were changed, in the order given. */
  readonly ids: readonly string[]
  /** The last lines. */
  readonly next: readonly string[]
  /** Whether the whole plan was asked for. */
  readonly isWhole: boolean
}

interface ChangeText {
  readonly lines: readonly string[]
  /** How many tasks of the plan they show. */
  readonly shown: number
}

/** The changed tasks, as much of the plan as there is room for, and the next step: 4,000 characters at most. */
export function changeLines(plan: Plan, { verb, ids, next, isWhole }: Changed): ChangeText {
  const listed = new Set(ids)
  const byId = new Map(plan.tasks.map((task) => [task.id, task]))
  const changed = ids.flatMap((id) => byId.get(id) ?? [])
  const tasksMax = Math.max(0, planMax - changed.length)
  const rest = (max: number, missingText: (missing: Missing) => string | null) =>
    summaryOf(plan, noEvents, {
      ...{ isJson: false, fillWith: 'all', listed, tasksMax },
      ...{ next, max, missingText },
    })
  const longest = () => cutText(plan, { tasks: plan.tasks, isTextCut: true })
  const reserved = lengthOf(rest(planCharacters, longest).lines) + String(plan.tasks.length).length
  const above = changedLines(verb, changed, charactersMax - reserved)
  const isShort = plan.tasks.length <= planMax && !above.isCut && textOf(plan) <= charactersMax
  const all = isWhole || isShort ? wholePlans(plan, changed, above.lines) : []
  const found = all
    .map((lines) => [...lines, ...next])
    .find((lines) => isWhole || lengthOf(lines) <= charactersMax)
  if (found) return { lines: found, shown: plan.tasks.length }
  const below = rest(charactersMax - lengthOf(above.lines), ({ tasks, isTextCut }) =>
    cutText(plan, { tasks: [...above.hidden, ...tasks], isTextCut: isTextCut || above.isCut }),
  )
  const hidden = above.hidden.length + below.missing.tasks.length
  return { lines: [...above.lines, ...below.lines], shown: plan.tasks.length - hidden }
}

const noEvents = { events: [], total: 0 }

const lengthOf = (lines: readonly string[]): number =>
  lines.reduce((sum, { length }) => sum + length + '\n'.length, 0)

/** How long the texts of the tasks are: a bound that is cheaper than laying them out. */
const textOf = ({ tasks }: Plan): number =>
  tasks.reduce((sum, { title, description }) => sum + title.length + description.length, 0)

/** The plan below what changed: all of it, or without what the changed tasks say above. */
function wholePlans(
  plan: Plan,
  changed: readonly PlanTask[],
  above: readonly string[],
): string[][] {
  const whole = planLines(plan, { shown: plan.tasks, leftOut: [] })
  // Where everything changed, the plan shows it.
  if (changed.length === plan.tasks.length) return [whole]
  const shown = plan.tasks.map((task) =>
    changed.includes(task) ? { ...task, description: '' } : task,
  )
  return [
    [...above, ...whole],
    [...above, ...planLines(plan, { shown, leftOut: [] })],
  ]
}

/** `12 of 40 tasks; not shown: 28 completed; long texts are cut. See all: np p --all` */
function cutText(
  { tasks: all }: Plan,
  { tasks, isTextCut }: Pick<Missing, 'tasks' | 'isTextCut'>,
): string | null {
  if (tasks.length === 0 && !isTextCut) return null
  const parts = [
    `${all.length - tasks.length} of ${all.length} tasks`,
    ...(tasks.length === 0 ? [] : [`not shown: ${counts(tasks)}`]),
    ...(isTextCut ? ['long texts are cut'] : []),
  ]
  return `${parts.join('; ')}. See all: np p --all`
}

interface ChangedText {
  readonly lines: readonly string[]
  /** Tasks of which there is only an id. */
  readonly hidden: readonly PlanTask[]
  readonly isCut: boolean
}

/** The tasks that were changed, with as much of each as there is room for; of very many only the ids of some. */
function changedLines(verb: string, tasks: readonly PlanTask[], max: number): ChangedText {
  if (tasks.length === 0) return { lines: [], hidden: [], isCut: false }
  const described = (characters: number) => [
    `${verb}:`,
    ...tasks.flatMap((task) => rowsOf(task, whole, characters)),
    '',
  ]
  const fits = (lines: readonly string[]) => lengthOf(lines) <= max
  if (fits(described(whole))) return { lines: described(whole), hidden: [], isCut: false }
  if (fits(described(descriptionMin))) {
    const most = largest(descriptionMin, max, (characters) => fits(described(characters)))
    return { lines: described(most), hidden: [], isCut: true }
  }
  if (fits(described(0))) return { lines: described(0), hidden: [], isCut: true }
  const some = (count: number) => [
    `${verb}:`,
    ...tasks.slice(0, count).flatMap((task) => rowsOf(task, titleMax, 0)),
    ...moreLines(tasks.slice(count), max - moreMargin),
    '',
  ]
  const count = largest(0, tasks.length, (each) => fits(some(each)))
  return { lines: some(count), hidden: tasks.slice(count), isCut: true }
}

const rowsOf = (task: PlanTask, title: number, description: number): string[] =>
  taskLines({
    ...task,
    title: clipped(task.title, title),
    description: clipped(task.description, description),
  })

/** The ids of those that have no line of their own. */
function moreLines(tasks: readonly PlanTask[], max: number): string[] {
  if (tasks.length === 0) return []
  return [`and ${tasks.length} more: ${clipped(tasks.map(({ id }) => id).join(' '), max)}`]
}
