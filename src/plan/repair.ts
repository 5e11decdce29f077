import { commitInOrder } from '../collection/index.ts'
import { compete, create, lost, remove, type Store, update, type Write } from '../store/index.ts'
import type { PlanEvent } from './event.ts'
import { keysOf } from './keys.ts'
import { logOf, projectionsOf, tasksOf } from './session-log.ts'
import type { Sessions } from './sessions.ts'

export interface RepairReport {
  readonly sessions: number
  readonly events: number
  /** How many documents and index entries were put right. */
  readonly mended: number
  /** What can't be mended, in a sentence each. */
  readonly left: readonly string[]
}

export interface RepairOptions {
  /** See the option of the same name of a collection. */
  readonly graceMs?: number
}

/** Compares all sessions with their logs, and the indexes with the sessions, and mends the difference. */
export async function repairPlans(
  store: Store,
  sessions: Sessions,
  options: RepairOptions,
): Promise<RepairReport> {
  const total = { sessions: 0, events: 0, mended: 0 }
  const left: string[] = []
  for await (const sid of sessions.startingWith('')) {
    const one = await repairSession(store, sid, options)
    total.sessions++
    total.events += one.events
    total.mended += one.mended
    left.push(...one.left)
  }
  const { missing, stale, corrupt } = await sessions.repair(options)
  left.push(...corrupt.map((sid) => `The session ${sid} can't be read.`))
  return { ...total, mended: total.mended + missing + stale, left }
}

async function repairSession(store: Store, sid: string, options: RepairOptions) {
  const log = logOf(store, sid)
  await log.complete()
  const events: PlanEvent[] = []
  const left: string[] = []
  let count = 0
  for await (const { seq, event, problem } of log.read()) {
    count++
    if (event) events.push(event)
    else left.push(`Event ${seq} of session ${sid} can't be read (${problem}).`)
  }
  // Without one of its events nobody knows what the documents should be: then they are the truth.
  const replayed = left.length === 0 ? await replay(store, sid, events) : 0
  const { missing, stale, corrupt } = await tasksOf(store, sid).repair(options)
  left.push(...corrupt.map((id) => `The task ${id} of session ${sid} can't be read.`))
  return { events: count, mended: replayed + missing + stale, left }
}

/** Brings goal, tasks and their status to what the events say; says how many were otherwise. */
function replay(store: Store, sid: string, events: readonly PlanEvent[]): Promise<number> {
  return compete(`the session ${sid}`, async () => {
    const writes = await differences(store, sid, events)
    return (await commitInOrder(store, writes)) ? writes.length : lost
  })
}

async function differences(
  store: Store,
  sid: string,
  events: readonly PlanEvent[],
): Promise<Write[]> {
  const { meta } = keysOf(sid)
  const wanted = new Map<string, Uint8Array | null>()
  // The session itself is more than its events say.
  for (const event of events)
    for (const { key, next } of projectionsOf(sid, event))
      if (key !== meta) wanted.set(key, next(wanted.get(key) ?? null))
  const writes: Write[] = []
  for (const [key, bytes] of wanted) {
    const entry = await store.get(key)
    if (bytes === null) writes.push(...(entry ? [remove(entry)] : []))
    else if (entry === null) writes.push(create(key, bytes))
    else if (Buffer.compare(entry.value, bytes) !== 0) writes.push(update(entry, bytes))
  }
  return writes
}
