import { type Change, type ChangeOutcome, checkChange, type Plan } from '../../plan/internal.ts'
import type { Context } from '../program/context.ts'
import type { Answer } from '../program/output.ts'
import { changeLines } from './change-text.ts'
import { commandText } from './command-text.ts'
import { nextStep } from './next-step.ts'
import { withPlans } from './plans.ts'
import { remarkOn } from './remark.ts'
import { sessionHere } from './session.ts'
import { nextLines } from './show-plan.ts'

/** Changes the plan of this directory, and shows what became of it. What can never be right is refused before. */
export async function makeChange(
  context: Context,
  change: Change,
  reason: string | undefined,
): Promise<void> {
  const { args, out } = context
  const told = { cmd: commandText(context), reason }
  checkChange(change, told)
  await withPlans(context, async (plans) => {
    const { sid } = await sessionHere(context, plans)
    const outcome = await plans.apply(sid, change, told)
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
