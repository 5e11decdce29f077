import { type Change, checkChange } from '../../plan/index.ts'
import type { Context } from '../program/context.ts'
import { commandText } from './command-text.ts'
import { withPlans } from './plans.ts'
import { sessionHere } from './session.ts'
import { planAnswer } from './show-plan.ts'

/** Changes the plan of this directory, and shows it. What can never be right is refused before. */
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
    const events = await plans.change(sid, change, told)
    // Reading the plan is most of the work; whoever wants quiet is spared it.
    if (out.isJson || !args.has('quiet')) out.confirm(planAnswer(context, await plans.plan(sid)))
    const remark = remarkOn(change, events.length)
    if (remark !== null) out.note(remark)
  })
}

/** Says that, or how far, everything was so already. */
function remarkOn(change: Change, eventCount: number): string | null {
  if (change.kind !== 'add-tasks')
    return eventCount === 0 ? 'Nothing changed: it is already so.' : null
  const { length } = change.tasks
  if (eventCount === length) return null
  if (length === 1) return 'Nothing changed: this task is already there.'
  return `Already there: ${length - eventCount} of ${length} tasks.`
}
