import {
  type Change,
  type ChangeOutcome,
  checkChange,
  type Plan,
  type PlanEvent,
  parseStatus,
  type Status,
} from '../../plan/internal.ts'
import { type Command, globalOptions } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { allOption } from '../program/option-value.ts'
import type { Answer } from '../program/output.ts'
import { shellWord } from '../program/text.ts'
import { changeLines } from './change-text.ts'
import { readTexts, type Texts } from './options.ts'
import { withSession } from './plans.ts'
import { nextLines, nextStep } from './summary.ts'
import { clipped } from './text.ts'

interface ChangeCommand extends Omit<Command, 'run'> {
  /** What the command line asks for. */
  readonly changeOf: (context: Context, texts: Texts) => Change
}

/** A command that changes the plan of this directory. */
export const changeCommand = ({ changeOf, options, ...command }: ChangeCommand): Command => ({
  ...command,
  options: { ...options, all: allOption },
  async run(context) {
    const texts = await readTexts(context)
    await makeChange(context, changeOf(context, texts), texts.reason)
  },
})

/** Makes the change, and shows what became of the plan. What can never be right is refused before. */
async function makeChange(
  context: Context,
  change: Change,
  reason: string | undefined,
): Promise<void> {
  const { args, out } = context
  const logged = { cmd: commandText(context), reason }
  checkChange(change, logged)
  await withSession(context, async (plans, sid) => {
    const outcome = await plans.apply(sid, change, logged)
    // Reading the plan is most of the work; --quiet does without.
    if (args.has('quiet') && !out.isJson) return
    const plan = await plans.plan(sid)
    out.confirm(answerOf(context, plan, change, outcome))
    const remark = remarkOn(change, outcome, plan)
    if (remark !== null) out.note(remark)
  })
}

/** Programs get the whole plan; a person or an agent who reads gets what changed, and as much as is read easily. */
function answerOf(context: Context, plan: Plan, change: Change, outcome: ChangeOutcome): Answer {
  const { session, goal, tasks } = plan
  const { isJson } = context.out
  const text = isJson
    ? { lines: [], shown: tasks.length }
    : changeLines(plan, {
        verb: change.kind === 'add-tasks' ? 'Added' : 'Updated',
        ids: idsOf(outcome),
        next: nextLines(context, plan),
        isWhole: context.args.has('all'),
      })
  const changed = changedBy(change, outcome)
  const unchanged = idsOf(outcome, false)
  return {
    kind: 'plan',
    data: { session, goal, tasks, changed, unchanged, next: nextStep(plan) },
    total: tasks.length,
    ...text,
  }
}

/** The tasks that a change named, and that it did change or did not. */
const idsOf = ({ tasks }: ChangeOutcome, isChanged = true): string[] =>
  tasks.filter(({ changed }) => changed === isChanged).map(({ id }) => id)

/** What changed, for programs: an empty list always means nothing, so the goal needs a name, too. */
function changedBy({ kind }: Change, outcome: ChangeOutcome): string[] {
  const isGoal = kind === 'set-goal' || kind === 'update-goal'
  if (isGoal) return outcome.events.length === 0 ? [] : ['goal']
  return idsOf(outcome)
}

/** Longer ones end in an ellipsis: every event of a batch holds the whole command. */
const commandCharactersMax = 1_000

/** The command line as it was typed, for the log; without what every command takes, such as the store. */
function commandText({ commandName, args }: Context): string {
  const options = args.ordered
    .filter(({ name }) => !Object.hasOwn(globalOptions, name) && name !== 'all')
    .map(({ typed, value }) => `${typed} ${shellWord(value)}`)
  return clipped([commandName, ...options].join(' '), commandCharactersMax)
}

/** How many tasks a remark names. */
const namedMax = 20

/** Says what was so already, if anything was. */
function remarkOn(change: Change, outcome: ChangeOutcome, plan: Plan): string | null {
  if (change.kind === 'add-tasks') return remarkOnAdded(outcome, plan)
  if (change.kind === 'update-tasks') return remarkOnUpdated(change, outcome)
  return outcome.events.length === 0 ? 'Nothing changed: the goal is already so.' : null
}

function remarkOnAdded({ tasks }: ChangeOutcome, plan: Plan): string | null {
  const status = new Map(plan.tasks.map((task) => [task.id, task.status]))
  const there = tasks.filter(({ changed }) => !changed).map(({ id }) => id)
  const [only] = there
  if (only === undefined) return null
  // Adding a task means wanting it done.
  const dropped = there.filter((id) => droppedStatuses.has(status.get(id)))
  if (tasks.length === 1 && dropped.length === 1)
    return `Nothing changed: task ${only} is already in the plan, but ${status.get(only)}. ${resumeHint(dropped)}`
  // A task that can't be read has no status.
  const statusOf = (id: string) => status.get(id) ?? 'unreadable'
  if (tasks.length === 1)
    return `Nothing changed: task ${only} is already there (${statusOf(only)}).`
  const each = there.map((id) => `${id} (${statusOf(id)})`)
  const nothing = there.length === tasks.length ? 'Nothing changed. ' : ''
  const next = dropped.length === 0 ? '' : ` ${resumeHint(dropped)}`
  return `${nothing}Already there: ${there.length} of ${tasks.length} tasks: ${listedOf(each)}.${next}`
}

const droppedStatuses: ReadonlySet<string | undefined> = new Set<Status>(['cancelled', 'failed'])

const resumeHint = (ids: readonly string[]): string => {
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
  return `${nothing}Already so: ${listedOf([...already.values()])}.`
}

/** What of which task an event changed. */
function partOf(event: PlanEvent): string {
  if (event.type === 'task_updated') return `${event.payload.task_id} words`
  return event.type === 'task_status_changed' ? `${event.payload.task_id} status` : ''
}

const listedOf = (each: readonly string[]): string =>
  each.length <= namedMax
    ? each.join(', ')
    : `${each.slice(0, namedMax).join(', ')}, and ${each.length - namedMax} more`
