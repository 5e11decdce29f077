import type { Holdings } from '../collection/index.ts'
import { TaskList, tasksPrefix } from './task-list.ts'

/** What of a store belongs to the list, for exports, imports and checkups. */
export const holdings: Holdings = {
  model: 'list',
  noun: 'tasks',
  spaces: [{ prefix: tasksPrefix }],
  async repair(store, options) {
    const { added, removed, corrupt } = await new TaskList(store).rebuildIndex(options)
    return { drift: added + removed, left: corrupt.map((id) => `The task ${id} can't be read.`) }
  },
}
