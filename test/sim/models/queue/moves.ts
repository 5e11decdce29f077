import type { Stored } from './stored.ts'

/** What a write has made of a task: which command it must have been. */
export type Move =
  | 'submit'
  | 'claim'
  | 'complete'
  | 'retry'
  | 'fail'
  | 'requeue'
  | 'abandon'
  | 'renew'
  | 'cancel'
  | 'replay'
  | 'archive'
  | 'unarchive'
  | 'touch'

const named: Readonly<Record<string, Move>> = {
  'none pending': 'submit',
  'pending running': 'claim',
  'pending cancelled': 'cancel',
  'running completed': 'complete',
  'running failed': 'fail',
  'running cancelled': 'abandon',
  'failed pending': 'replay',
  'cancelled pending': 'replay',
  'completed archived': 'archive',
  'failed archived': 'archive',
  'cancelled archived': 'archive',
  'archived completed': 'unarchive',
  'archived failed': 'unarchive',
  'archived cancelled': 'unarchive',
}

/** Null where no command does that. */
export function moveOf(before: Stored | null, after: Stored): Move | null {
  const is = `${before?.status ?? 'none'} ${after.status}`
  if (before === null) return named[is] ?? null
  if (is === 'running pending') return after.retry_count > before.retry_count ? 'retry' : 'requeue'
  if (before.status !== after.status) return named[is] ?? null
  if (isSame(before, after)) return 'touch'
  if (is !== 'running running') return null
  return before.cancel_requested === after.cancel_requested ? 'renew' : 'cancel'
}

const isSame = (before: Stored, after: Stored): boolean =>
  Object.keys(after).every((name) => name === '_history' || isEqual(before, after, name))

const isEqual = (before: Stored, after: Stored, name: string): boolean => {
  const [one, other] = [before[name as keyof Stored], after[name as keyof Stored]]
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

const unclaimed: readonly (keyof Stored)[] = ['worker_id', 'lease_id', 'lease_expires_at']

/** What each command may change beside the status and the time of the change. All else stays. */
const changed: Readonly<Record<Move, readonly (keyof Stored)[]>> = {
  submit: [],
  touch: [],
  claim: [...unclaimed, 'attempt', 'cancel_requested'],
  complete: [...unclaimed, 'output', 'completed_at', 'output_ref' as keyof Stored],
  retry: [...unclaimed, 'retry_count', 'available_at', 'last_error'],
  fail: [...unclaimed, 'last_error'],
  requeue: [...unclaimed, 'available_at'],
  abandon: [...unclaimed, 'last_error'],
  renew: ['lease_expires_at'],
  cancel: ['cancel_requested'],
  replay: ['available_at', 'retry_count', 'cancel_requested'],
  archive: ['archived_from'],
  unarchive: ['archived_from'],
}

/** What is wrong with a write, by the two states alone. */
export function flawsOf(move: Move, before: Stored | null, after: Stored): string[] {
  const flaws: string[] = []
  const demand = (holds: boolean, flaw: string) => void (holds || flaws.push(flaw))
  if (before === null) {
    demand(after.attempt === 0 && after.retry_count === 0, 'it begins with attempts')
    return flaws
  }
  const allowed = new Set<string>(['status', 'updated_at', '_history', ...changed[move]])
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    demand(allowed.has(name) || isEqual(before, after, name), `${move} has changed its ${name}`)
  demand(after.attempt === before.attempt + (move === 'claim' ? 1 : 0), 'its attempt is wrong')
  demand(after.retry_count === retriesAfter(move, before), 'its retry_count is wrong')
  demand(after.retry_count <= after.max_retries, 'it has more retries than it may')
  if (after.status !== 'running')
    for (const name of unclaimed) demand(after[name] === null, `it has a ${name}`)
  if (move === 'claim')
    demand(after.lease_id !== null && after.worker_id !== null, 'it has no lease')
  if (move === 'renew')
    demand(msOf(after.lease_expires_at) > msOf(before.lease_expires_at), 'its lease is shorter')
  if (move === 'retry') flaws.push(...backoffFlaws(before, after))
  if (move === 'abandon') demand(before.cancel_requested, 'nobody asked for its end')
  if (move === 'archive') demand(after.archived_from === before.status, 'its origin is wrong')
  if (move === 'unarchive') demand(after.status === before.archived_from, 'its origin was another')
  if (move === 'requeue' || move === 'replay')
    demand(after.available_at === after.updated_at, 'it is not available at once')
  if (move === 'retry' || move === 'requeue')
    demand(!before.cancel_requested, 'it goes on though its end was asked for')
  return flaws
}

function retriesAfter(move: Move, { retry_count }: Stored): number {
  if (move === 'replay') return 0
  return move === 'retry' ? retry_count + 1 : retry_count
}

/** Initial interval times multiplier to the power of the retries before, capped, and then spread. */
function backoffFlaws({ retry_policy, retry_count }: Stored, after: Stored): string[] {
  const { initial_interval_ms, max_interval_ms, multiplier, jitter_percent } = retry_policy
  const capped = Math.min(initial_interval_ms * multiplier ** retry_count, max_interval_ms)
  const waitMs = msOf(after.available_at) - msOf(after.updated_at)
  const spreadMs = capped * jitter_percent + 1
  return Math.abs(waitMs - capped) <= spreadMs
    ? []
    : [`it waits ${waitMs} ms instead of ${capped} ± ${spreadMs}`]
}

export const msOf = (time: string | null): number => Date.parse(time ?? '')
