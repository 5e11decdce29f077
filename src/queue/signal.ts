import type { Store } from '../store/index.ts'
import { shards } from './keys.ts'

const minuteMs = 60_000
/** Of what one submitter submits in such a time, one task of each type and minute is a signal. */
export const signalMs = 1_000
const signalsRemembered = 10_000

/** Whether to follow what happens would mean to list all of it again and again. */
export const isCostlyToWatch = ({ limits: { watch, listCost } }: Store): boolean =>
  watch === 'poll' && listCost === 'prefix'

/** The shard where, in each minute, workers first look for what has become ready. */
export const signalShard = (ms: number): string =>
  shards[Math.imul(Math.floor(ms / minuteMs), 0x9e3779b1) >>> 28] as string

/**
 * Chooses the shard of a new task. In a store that can only be listed, a worker beside a large backlog of other types
 * can't look at every shard every time; so each submitter puts the first task of a type and of a minute to start in, of those
 * that it submits in one second, where it is looked for first, and spreads the others. Who finds one then looks at all shards.
 */
export function signals(): (type: string, availableMs: number, nowMs: number) => string | null {
  const last = new Map<string, number>()
  return (type, availableMs, nowMs) => {
    const ms = Math.max(availableMs, nowMs)
    const name = `${Math.floor(ms / minuteMs)} ${type}`
    const before = last.get(name)
    if (before !== undefined && Math.abs(nowMs - before) < signalMs) return null
    if (last.size >= signalsRemembered) last.clear()
    last.set(name, nowMs)
    return signalShard(ms)
  }
}
