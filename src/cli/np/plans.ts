import { AmbiguousSessionError, Plans } from '../../plan/internal.ts'
import type { Context } from '../program/context.ts'
import { ExplainedError } from '../program/failure.ts'
import { sessionRow } from './session-row.ts'

/** Opens the plans for as long as they are used. */
export async function withPlans<T>(
  context: Context,
  use: (plans: Plans) => Promise<T>,
): Promise<T> {
  await using store = await context.openStore()
  const plans = new Plans(store, { onWarning: (warning) => context.out.warn(warning) })
  try {
    return await use(plans)
  } catch (error) {
    throw context.out.isJson ? error : await explained(error, plans)
  }
}

/** Adds to an ambiguous session id what it may mean. */
async function explained(error: unknown, plans: Plans): Promise<unknown> {
  if (!(error instanceof AmbiguousSessionError)) return error
  const { candidates, count } = error
  const rowOf = async (sid: string) =>
    sessionRow({ session: await plans.session(sid), goal: await plans.goal(sid) })
  const rows = await Promise.all(candidates.map((sid) => rowOf(sid).catch(() => sid)))
  const isCut = candidates.length < count
  return new ExplainedError(error, [
    ...rows,
    ...(isCut ? [`${candidates.length} of ${count}`] : []),
  ])
}
