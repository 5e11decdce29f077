import type { Plan } from '../../plan/internal.ts'
import { isSettled } from './selection.ts'

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
