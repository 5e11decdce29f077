import type { Store } from '../store/internal.ts'
import { shards } from './fields.ts'

const minuteMs = 60_000
/** Of what one submitter submits in such a time, the first few tasks of each type and minute are signals. */
export const signalMs = 1_000
export const signalsMax = 4
const signalsRemembered = 10_000

/** Whether to follow what happens would mean to list all of it again and again. */
export const isCostlyToWatch = ({ limits: { watch, listCost } }: Store): boolean =>
  watch === 'poll' && listCost === 'prefix'

/** The shard where, in each minute, workers first look for what has become ready. */
export const signalShard = (ms: number): string =>
  shards[Math.imul(Math.floor(ms / minuteMs), 0x9e3779b1) >>> 28] as string

/**
 * Chooses the shard of a new task. In a store that can only be listed, a worker beside a large backlog of other types
 * can't look at every shard every time. So each submitter puts the first tasks of a type and of a minute to start in, of
 * those that it submits in one second, where they are looked for first, and spreads the others. A worker that finds one
 * then looks at all shards.
 */
export function signals(): (type: string, availableMs: number, nowMs: number) => string | null {
  const given = new Map<string, { readonly sinceMs: number; count: number }>()
  return (type, availableMs, nowMs) => {
    const ms = Math.max(availableMs, nowMs)
    const name = `${Math.floor(ms / minuteMs)} ${type}`
    const before = given.get(name)
    if (before !== undefined && Math.abs(nowMs - before.sinceMs) < signalMs)
      return ++before.count > signalsMax ? null : signalShard(ms)
    if (given.size >= signalsRemembered) given.clear()
    given.set(name, { sinceMs: nowMs, count: 1 })
    return signalShard(ms)
  }
}
