import { glyphs, type PlanTask, type Status, statuses } from '../../plan/internal.ts'

/** What is explained even where no task has it. */
const usual: readonly Status[] = ['pending', 'in_progress', 'completed']

/** What the glyphs mean; of those for what went wrong only such as are there. */
export function legend(tasks: readonly PlanTask[]): string {
  const present = new Set(tasks.map(({ status }) => status))
  return statuses
    .filter((status) => usual.includes(status) || present.has(status))
    .map((status) => `${glyphs[status]} ${inWords(status)}`)
    .join('  ')
}

/** `2 in progress, 3 pending`. */
export function counts(tasks: readonly PlanTask[]): string {
  const count = new Map<Status, number>()
  for (const { status } of tasks) count.set(status, (count.get(status) ?? 0) + 1)
  return statuses
    .filter((status) => count.has(status))
    .map((status) => `${count.get(status)} ${inWords(status)}`)
    .join(', ')
}

const inWords = (status: Status): string => status.replace('_', ' ')
