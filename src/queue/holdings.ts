import type { Holdings } from '../collection/index.ts'
import { dataPrefix, historyPrefix, keysPrefix, taskKeyOf, tasksPrefix } from './keys.ts'
import { Queue } from './queue.ts'

const segment = (path: string, at: number): string => path.split('/')[at] ?? ''

/** Workers are not among them: those that live announce themselves. Nor is what a store keeps of versions by itself. */
export const holdings: Holdings = {
  model: 'queue',
  noun: 'tasks',
  spaces: [
    { prefix: tasksPrefix },
    { prefix: dataPrefix, partOf: (path) => taskKeyOf(segment(path, 1)), once: true },
    { prefix: historyPrefix, partOf: (path) => taskKeyOf(segment(path, 0)), once: true },
    { prefix: keysPrefix },
  ],
  async repair(store, options) {
    const { missing, stale, corrupt } = await new Queue(store).repair(options)
    return { drift: missing + stale, left: corrupt.map((id) => `The task ${id} can't be read.`) }
  },
}
