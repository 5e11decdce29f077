import { afterPart } from '../collection/index.ts'
import type { PlanAfter } from './answers.ts'
import type { Goal } from './documents.ts'
import { NoGoalError } from './error.ts'
import { Plans } from './plans.ts'
import type { Change, Told } from './steps.ts'

/** Plans as their operations need them: every call answers with a document. */
export class AnsweringPlans extends Plans {
  /** The goal of a session. Throws {@link NoGoalError} where none is set. */
  async goalSet(sid: string): Promise<Goal> {
    const goal = await this.goal(sid)
    if (goal === null) throw new NoGoalError('not_found')
    return goal
  }

  /** Makes a change, and answers with the plan as it is after that. */
  async changed(sid: string, change: Change, told: Told): Promise<PlanAfter> {
    const { events, tasks } = await this.apply(sid, change, told)
    const read = () => this.plan(sid)
    if (events.length === 0) return { ...(await read()), touched: null }
    const touched = tasks.filter(({ changed }) => changed).map(({ id }) => id)
    return { ...(await afterPart(`The plan ${sid} was changed`, read)), touched }
  }
}
