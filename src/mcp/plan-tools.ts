import { afterPart } from '../collection/index.ts'
import {
  type Change,
  type ChangeOutcome,
  checkChange,
  NoSessionError,
  type Plan,
  Plans,
  type PlanTask,
  type Session,
  statuses,
} from '../plan/internal.ts'
import { type Given, oneOf, optional, required, text } from '../schema/index.ts'
import { list, shownMax } from './schema.ts'
import { clipped, cut, shownWhole, stated } from './short.ts'
import { type Tool, tool, type Workplace } from './tool.ts'

const here = {
  directory: optional(text, 'The directory of the project; that of this server if left out.'),
}
type Here = Given<typeof here>

const open: readonly string[] = ['pending', 'in_progress']

/** Where the call says, or where this server was started. */
function directoryOf({ directory: usual }: Workplace, { directory: given }: Here): string {
  const path = given ?? usual
  if (path !== null) return path
  throw new NoSessionError('It is not said whose plan is meant.', 'Give a directory.')
}

async function sessionOf(plans: Plans, path: string): Promise<Session> {
  const session = await plans.find(path)
  if (session) return session
  throw new NoSessionError(
    `No plan is active in ${clipped(path)} or above it.`,
    'Start one with plan_goal.',
  )
}

/** What was just touched, then what is in progress, what waits, and the newest of what is settled. */
function ranked(all: readonly PlanTask[], touched: ReadonlySet<string>): PlanTask[] {
  const tasks = all.filter(({ id }) => !touched.has(id))
  const of = (status: string) => tasks.filter((task) => task.status === status)
  return [
    ...all.filter(({ id }) => touched.has(id)),
    ...of('in_progress'),
    ...of('pending'),
    ...tasks.filter(({ status }) => !open.includes(status)).reverse(),
  ]
}

function shown({ session, goal, tasks }: Plan, touched: readonly string[] = []): object {
  const listed = ranked(tasks, new Set(touched))
    .slice(0, shownMax / 2)
    .sort((a, b) => a.created_seq - b.created_seq)
    .map(({ id, status, title, description }) =>
      stated({
        id,
        status,
        title: clipped(title),
        description: open.includes(status) ? clipped(description) : '',
      }),
    )
  return {
    session: session.sid,
    directory: session.dir_path,
    goal: goal && stated({ title: goal.title, description: clipped(goal.description, shownWhole) }),
    ...cut('tasks', listed, tasks.length),
    open: tasks.filter(({ status }) => open.includes(status)).length,
  }
}

const planShow = tool({
  name: 'plan_show',
  title: 'Show the plan',
  description:
    'The goal and the tasks of this directory. Call it first, and whenever you have lost the thread.',
  input: here,
  role: 'read',
  async run(workplace, given) {
    const plans = new Plans(workplace.store)
    const { sid } = await sessionOf(plans, directoryOf(workplace, given))
    return shown(await plans.plan(sid))
  },
})

const planGoal = tool({
  name: 'plan_goal',
  title: 'Set the goal',
  description:
    'Sets the goal of this directory, and starts a plan where there is none. To change a goal, say the reason.',
  input: {
    ...here,
    title: required(text, 'The goal in one line.'),
    description: optional(text, 'What is to be reached, and how one can tell.'),
    reason: optional(text, 'Why it changes; needed where there is a goal already.'),
  },
  role: 'work',
  async run(workplace, given) {
    const plans = new Plans(workplace.store)
    const path = directoryOf(workplace, given)
    const active = await plans.find(path)
    const { session, isNew } = active ? { session: active, isNew: false } : await plans.start(path)
    const { sid } = session
    if (isNew) workplace.did?.({ id: sid, change: 'start' })
    const { title, description, reason } = given
    const told = { cmd: 'plan_goal', reason }
    const events = (await plans.goal(sid))
      ? await plans.updateGoal(sid, { title, description }, told)
      : await plans.setGoal(sid, { title, description }, told)
    if (events.length > 0) workplace.did?.({ id: sid, change: 'goal' })
    const plan = await planAfter(plans, sid, events.length > 0)
    return { changed: events.length > 0, ...shown(plan) }
  },
})

const planTasks = tool({
  name: 'plan_tasks',
  title: 'Add or update tasks of the plan',
  description:
    'Adds tasks, and sets the status or the words of tasks. Adding what is there already changes nothing. Failed and cancelled need a reason.',
  input: {
    ...here,
    add: optional(
      list({ title: required(text, 'One line.'), description: optional(text, 'How to do it.') }),
      'Tasks to add, in order.',
    ),
    update: optional(
      list({
        id: required(text, 'As plan_show gives it.'),
        status: optional(oneOf(statuses), 'The new status.'),
        title: optional(text, 'A new title.'),
        description: optional(text, 'A new description.'),
      }),
      'Tasks to change.',
    ),
    reason: optional(text, 'Why: for a failure, a cancellation, or other words.'),
  },
  role: 'work',
  async run(workplace, { add = [], update = [], reason, ...here }) {
    const plans = new Plans(workplace.store)
    const { sid } = await sessionOf(plans, directoryOf(workplace, here))
    const told = { cmd: 'plan_tasks', reason }
    const changes: Change[] = [
      // What exists is changed first: if that is refused, nothing was added either.
      ...(update.length === 0 ? [] : [{ kind: 'update-tasks', tasks: update } as const]),
      ...(add.length === 0 ? [] : [{ kind: 'add-tasks', tasks: add } as const]),
    ]
    for (const change of changes) checkChange(change, told)
    const outcomes: ChangeOutcome[] = []
    for (const change of changes) {
      const apply = () => plans.apply(sid, change, told)
      const isLater = isChanging(outcomes)
      const outcome = await (isLater ? afterPart('Some tasks were changed', apply) : apply())
      outcomes.push(outcome)
      const ids = outcome.tasks.filter(({ changed }) => changed).map(({ id }) => id)
      if (ids.length > 0) workplace.did?.({ id: sid, ids, change: change.kind })
    }
    const touched = outcomes.flatMap(({ tasks }) => tasks.map(({ id }) => id))
    const changed = isChanging(outcomes)
    return { changed, ...shown(await planAfter(plans, sid, changed), touched) }
  },
})

const isChanging = (outcomes: readonly ChangeOutcome[]): boolean =>
  outcomes.some(({ events }) => events.length > 0)

/** The plan to show at the end. Where it can't be read, what was changed must not pass for nothing. */
const planAfter = (plans: Plans, sid: string, isChanged: boolean): ReturnType<Plans['plan']> =>
  isChanged ? afterPart('The plan was changed', () => plans.plan(sid)) : plans.plan(sid)

export const planTools: readonly Tool[] = [planShow, planGoal, planTasks]
