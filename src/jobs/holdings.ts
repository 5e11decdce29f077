import type { Holdings } from '../collection/index.ts'
import { taskPrefix } from './keys.ts'
import { TaskManager } from './task-manager.ts'

/** Idempotency keys follow from the tasks that have them. */
export const holdings: Holdings = {
  model: 'jobs',
  noun: 'tasks',
  spaces: [{ prefix: taskPrefix }],
  async repair(store, options) {
    await using manager = new TaskManager(store)
    const { missing, stale, corrupt } = await manager.repair(options)
    return { drift: missing + stale, left: corrupt.map((id) => `The task ${id} can't be read.`) }
  },
}
