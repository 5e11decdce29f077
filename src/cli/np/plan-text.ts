import { type Goal, glyphs, type Plan, type PlanTask, type Session } from '../../plan/internal.ts'
import { oneLine } from '../program/printable.ts'
import { counts, legend } from './glyph.ts'
import type { Selection } from './selection.ts'
import { shortPath } from './session.ts'
import { inSeconds } from './session-row.ts'
import { indented } from './text.ts'

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
