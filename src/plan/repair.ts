import {
  CorruptDocumentError,
  commitInOrder,
  inTurns,
  type RepairOptions,
} from '../collection/index.ts'
import {
  compete,
  create,
  eventLoopTurn,
  lost,
  remove,
  type Store,
  update,
  type Write,
} from '../store/internal.ts'
import type { PlanEvent } from './event.ts'
import { keysOf } from './keys.ts'
import { logOf, projectionsOf, tasksOf } from './session-log.ts'
import type { Sessions } from './sessions.ts'
import { goalOf } from './state.ts'

/** What a repair of plans found and mended. */
export interface RepairReport {
  /** How many sessions there are. */
  readonly sessions: number
  /** How many events their logs have. */
  readonly events: number
  /** How many documents and index entries were put right. */
  readonly mended: number
  /** What can't be mended, in a sentence each. */
  readonly left: readonly string[]
}

/**
 * Compares all sessions with their logs, and the indexes with the sessions, and mends the difference, or with `dryRun`
 * only counts it.
 */
export async function repairPlans(
  store: Store,
  sessions: Sessions,
  options: RepairOptions,
): Promise<RepairReport> {
  const sids: string[] = []
  for await (const sid of sessions.startingWith('')) sids.push(sid)
  let [events, mended] = [0, 0]
  const left: string[] = []
  for (const sid of sids) {
    const one = await repairSession(store, sid, options)
    events += one.events
    mended += one.mended
    left.push(...one.left)
  }
  const { missing, stale, corrupt } = await sessions.repair(options)
  left.push(...corrupt.map((sid) => `The session ${sid} can't be read.`))
  for (const sid of sids.filter((each) => !corrupt.includes(each)))
    if (await givesWay(store, sessions, sid, options)) mended++
    else left.push(...(await rivalry(sessions, sid)))
  return { sessions: sids.length, events, mended: mended + missing + stale, left }
}

/**
 * Archives a session without events whose directory has another active one. A start that was slow, and then failed, leaves
 * such a session, and nobody was told of it.
 */
async function givesWay(
  store: Store,
  sessions: Sessions,
  sid: string,
  { dryRun = false }: RepairOptions,
): Promise<boolean> {
  const session = await sessions.get(sid)
  if (session?.state !== 'active' || (await sessions.successorOf(session)) === null) return false
  for await (const _ of logOf(store, sid).read({ limit: 1 })) return false
  if (!dryRun) await sessions.archive(sid, session.last_updated_at)
  return true
}

/** A directory has one active session; which of two it should be, only its owner knows. */
async function rivalry(sessions: Sessions, sid: string): Promise<string[]> {
  const rival = await sessions.rivalOf(sid)
  if (rival === null) return []
  return [`The sessions ${rival} and ${sid} are both active in one directory; archive one of them.`]
}

async function repairSession(store: Store, sid: string, options: RepairOptions) {
  const isDryRun = options.dryRun === true
  const { events, mended: replayed, broken } = await replay(store, sid, isDryRun)
  const moved = await putCheckpointRight(store, sid, isDryRun)
  const { missing, stale, corrupt } = await tasksOf(store, sid).repair(options)
  const left = [
    ...broken,
    ...corrupt.map((id) => `The task ${id} of session ${sid} can't be read.`),
    ...(await unreadableGoal(store, sid)),
  ]
  return { events, mended: replayed + moved + missing + stale, left }
}

/** Brings goal, tasks and their status to what the events say; says how many were otherwise. */
function replay(store: Store, sid: string, isDryRun: boolean) {
  const log = logOf(store, sid)
  return compete(`the session ${sid}`, async () => {
    const events: PlanEvent[] = []
    const broken: string[] = []
    let last = 0
    for await (const { seq, event, problem } of log.read()) {
      last = seq
      if (event) events.push(event)
      else broken.push(`Event ${seq} of session ${sid} can't be read (${problem}).`)
    }
    const total = events.length + broken.length
    // Without one of its events nobody knows what the documents should be: then they are the truth.
    if (broken.length > 0) return { events: total, mended: 0, broken }
    const writes = await differences(store, sid, events)
    // Documents that were read may contain what was appended since the log was.
    for await (const _ of log.read({ after: last, limit: 1 })) return lost
    if (!isDryRun && !(await commitInOrder(store, writes))) return lost
    return { events: total, mended: writes.length, broken }
  })
}

/** Says how many numbers it corrected: none or one. */
async function putCheckpointRight(store: Store, sid: string, isDryRun: boolean): Promise<number> {
  if (isDryRun) return (await logOf(store, sid).isComplete()) ? 0 : 1
  return (await logOf(store, sid).mend()) ? 1 : 0
}

async function unreadableGoal(store: Store, sid: string): Promise<string[]> {
  try {
    await goalOf(store, sid)
    return []
  } catch (error) {
    if (error instanceof CorruptDocumentError) return [error.what]
    throw error
  }
}

async function differences(
  store: Store,
  sid: string,
  events: readonly PlanEvent[],
): Promise<Write[]> {
  const { meta } = keysOf(sid)
  const wanted = new Map<string, Uint8Array | null>()
  // The session itself is more than its events say.
  await inTurns(events, (event) => {
    for (const { key, next } of projectionsOf(sid, event))
      if (key !== meta) wanted.set(key, next(wanted.get(key) ?? null))
  })
  const writes: Write[] = []
  for (const [key, bytes] of wanted) {
    const turn = eventLoopTurn()
    if (turn) await turn
    const entry = await store.get(key)
    if (bytes === null) writes.push(...(entry ? [remove(entry)] : []))
    else if (entry === null) writes.push(create(key, bytes))
    else if (Buffer.compare(entry.value, bytes) !== 0) writes.push(update(entry, bytes))
  }
  return writes
}
