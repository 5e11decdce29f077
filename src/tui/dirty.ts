import type { PlanChange } from '../plan/internal.ts'
import type { Range } from './state.ts'

/** What has to be read again of a session: hints add to it until a reading takes it all. */
export class Dirty {
  isAll = false
  isGoal = false
  isLog = false
  readonly tasks = new Set<string>()
  /** Older events that came into view. */
  range: Range | null = null

  add(change: PlanChange): void {
    if (change.part === 'all') this.isAll = true
    if (change.part === 'goal') this.isGoal = true
    if (change.part === 'events') this.isLog = true
    if (change.part === 'task') this.tasks.add(change.id)
  }
}
