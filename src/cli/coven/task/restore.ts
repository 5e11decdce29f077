import type { RestoredTask } from '../../../tree/internal.ts'
import type { Command } from '../../program/command.ts'
import { verb } from './verb.ts'

export const restore: Command = verb({
  name: 'restore',
  about: 'bring back a task that retention has deleted',
  details:
    'With it comes back everything that was hidden together with it. "coven task list --include-deleted" shows what is hidden. What "coven task delete" took is gone.',
  prepare: () => (tree, id, by) => tree.restore(id, by),
  line: (task) => `Restored task ${task.id}${othersOf(task as RestoredTask)}`,
  idle: ({ id }) => `Task ${id} is already there`,
})

/** How many came back with it, which are its children unless it was hidden as a part of another. */
function othersOf({ restored, restored_below }: RestoredTask): string {
  const others = Math.max(restored - 1, restored_below)
  if (others === 0) return ''
  return ` (and ${others} ${others === restored_below ? 'children' : 'others'})`
}
