import {
  type Change,
  type ChangeOutcome,
  type Plan,
  type PlanEvent,
  parseStatus,
  type Status,
} from '../../plan/internal.ts'

/** How many tasks a remark names. */
const namedMax = 20

/** Says what was so already, if anything was. */
export function remarkOn(change: Change, outcome: ChangeOutcome, plan: Plan): string | null {
  if (change.kind === 'add-tasks') return remarkOnAdded(outcome, plan)
  if (change.kind === 'update-tasks') return remarkOnUpdated(change, outcome)
  return outcome.events.length === 0 ? 'Nothing changed: the goal is already so.' : null
}

function remarkOnAdded({ tasks }: ChangeOutcome, plan: Plan): string | null {
  const status = new Map(plan.tasks.map((task) => [task.id, task.status]))
  const there = tasks.filter(({ changed }) => !changed).map(({ id }) => id)
  const [only] = there
  if (only === undefined) return null
  // Whoever adds a task means to do it.
  const dropped = there.filter((id) => dead.has(status.get(id)))
  if (tasks.length === 1 && dropped.length === 1)
    return `Nothing changed: task ${only} is already in the plan, but ${status.get(only)}. ${resuming(dropped)}`
  // A task that can't be read has no status.
  const statusOf = (id: string) => status.get(id) ?? 'unreadable'
  if (tasks.length === 1)
    return `Nothing changed: task ${only} is already there (${statusOf(only)}).`
  const each = there.map((id) => `${id} (${statusOf(id)})`)
  const nothing = there.length === tasks.length ? 'Nothing changed. ' : ''
  const next = dropped.length === 0 ? '' : ` ${resuming(dropped)}`
  return `${nothing}Already there: ${there.length} of ${tasks.length} tasks: ${listed(each)}.${next}`
}

const dead: ReadonlySet<string | undefined> = new Set<Status>(['cancelled', 'failed'])

const resuming = (ids: readonly string[]): string => {
  const flags = ids.slice(0, namedMax).map((id) => `-i ${id}`)
  return `Resume ${ids.length === 1 ? 'it' : 'them'}: np t u ${flags.join(' ')} -s pending`
}

type UpdateTasks = Extract<Change, { kind: 'update-tasks' }>

function remarkOnUpdated({ tasks }: UpdateTasks, { events }: ChangeOutcome): string | null {
  const happened = new Set(events.map(({ event }) => partOf(event)))
  const already = new Map<string, string>()
  for (const { id: typed, status, title, description } of tasks) {
    const id = typed.trim().toLowerCase()
    const hasWords = title !== undefined || description !== undefined
    const parts = [
      ...(hasWords && !happened.has(`${id} words`) ? ['same words'] : []),
      ...(status !== undefined && !happened.has(`${id} status`) ? [parseStatus(status)] : []),
    ]
    if (parts.length > 0) already.set(id, `${id} (${parts.join(', ')})`)
  }
  if (already.size === 0) return null
  const nothing = events.length === 0 ? 'Nothing changed. ' : ''
  return `${nothing}Already so: ${listed([...already.values()])}.`
}

/** What of which task an event changed. */
function partOf(event: PlanEvent): string {
  if (event.type === 'task_updated') return `${event.payload.task_id} words`
  return event.type === 'task_status_changed' ? `${event.payload.task_id} status` : ''
}

const listed = (each: readonly string[]): string =>
  each.length <= namedMax
    ? each.join(', ')
    : `${each.slice(0, namedMax).join(', ')}, and ${each.length - namedMax} more`
