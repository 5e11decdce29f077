import type { Holdings } from '../collection/index.ts'
import { prefixes } from './keys.ts'
import { TaskTree } from './task-tree.ts'

const taskOf = (path: string): string => `${prefixes.tasks}/${path.split('/')[0]}`

/** A change of the shape that is under way has not happened, and is not copied. */
export const holdings: Holdings = {
  model: 'tree',
  noun: 'tasks',
  spaces: [{ prefix: prefixes.tasks }, { prefix: prefixes.history, partOf: taskOf }],
  async repair(store, options) {
    const report = await new TaskTree(store).repair(options)
    const { missing, stale, corrupt, deletions, orphans, histories } = report
    return {
      drift: missing + stale + deletions + orphans + histories,
      left: corrupt.map((id) => `The task ${id} can't be read.`),
    }
  },
}
