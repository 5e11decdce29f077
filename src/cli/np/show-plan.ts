import type { Plan } from '../../plan/internal.ts'
import type { Context } from '../program/context.ts'
import type { Answer } from '../program/output.ts'
import { nextStep } from './next-step.ts'
import { maxOf, planMax } from './options.ts'
import { cutLines, planLines } from './plan-text.ts'
import { selection } from './selection.ts'
import { shortPath } from './session.ts'

/** A plan as it is shown: itself, and last the next useful command. */
export function planAnswer(context: Context, plan: Plan): Answer {
  const { session, goal, tasks } = plan
  const selected = selection(tasks, maxOf(context, planMax))
  const next = nextStep(plan)
  return {
    kind: 'plan',
    data: { session, goal, tasks: selected.shown, next },
    total: tasks.length,
    shown: selected.shown.length,
    lines: context.out.isJson
      ? []
      : [...planLines(plan, selected), ...cutLines(selected), ...nextLines(context, plan)],
  }
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
