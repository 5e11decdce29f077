import { type Caller, checkRole, isOwnAgent } from '../../access/index.ts'
import {
  ChangedMeanwhileError,
  type ChangeOptions,
  stateOf,
  type Task,
  type TaskManager,
} from '../../jobs/internal.ts'

interface Retry extends ChangeOptions {
  readonly attempts: number | undefined
  readonly caller: Caller
}

/**
 * Makes a job pending again. To take a claim from another is a forced release, which needs the role `admin`. Whose claim it
 * is only the job tells, so it is retried in the state in which it was looked at.
 */
export async function retry(
  jobs: TaskManager,
  id: string,
  { caller, ...options }: Retry,
): Promise<Task> {
  if (caller.role === 'admin') return jobs.retry(id, options)
  for (;;) {
    const job = await jobs.get(id)
    if (!isOwn(job, caller)) checkRole(caller, 'admin')
    const state = stateOf(job)
    if (options.state !== undefined && options.state !== state)
      throw new ChangedMeanwhileError(id, job.status)
    try {
      return await jobs.retry(id, { ...options, state })
    } catch (error) {
      const isLate = error instanceof ChangedMeanwhileError && options.state === undefined
      if (!isLate) throw error
    }
  }
}

/** Whether nobody has claimed a job but the caller, who may have several agents. */
const isOwn = ({ status, claimedBy }: Task, { name }: Caller): boolean =>
  status !== 'claimed' || (name !== null && claimedBy !== null && isOwnAgent(name, claimedBy))
