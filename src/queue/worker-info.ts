import { timeOf } from './time.ts'

/** A task that a worker runs. */
export interface RunningTask {
  /** The task. */
  readonly id: string
  /** Its type. */
  readonly task_type: string
  /** Which attempt this is, from 1 on. */
  readonly attempt: number
  /** What its handler said last of how far it is. */
  readonly progress: number | string | null
}

/** A worker as it is registered. What it says is for people to look at; nothing depends on it. */
export interface WorkerInfo {
  /** Its name, which no other worker has. */
  readonly worker_id: string
  /** When it was started; RFC 3339. */
  readonly started_at: string
  /** When it was heard of last; RFC 3339. */
  readonly last_heartbeat: string
  /** The shards it looks in. */
  readonly shards: readonly string[]
  /** One of those that it runs. */
  readonly current_task: string | null
  /** How many tasks it has completed since its start. */
  readonly tasks_completed: number
  /** How many attempts of it have failed since its start. */
  readonly tasks_failed: number
  /** The types it has handlers for. */
  readonly task_types: readonly string[]
  /** How many tasks it runs at once. */
  readonly concurrency: number
  /** Some of what it runs. */
  readonly running: readonly RunningTask[]
}

/** Active while it is heard of. */
export interface WorkerStatus extends WorkerInfo {
  /** Whether it was heard of lately. */
  readonly status: 'active' | 'stale'
}

/** How long a worker may be silent: four heartbeats. */
export const healthThresholdMsDefault = 60_000
/** After so long a silence a worker is gone for good. */
const forgottenMs = 7 * 86_400_000

/** What to show of a worker; null where it has been silent for so long that it is gone. */
export function statusOf(
  info: WorkerInfo,
  nowMs: number,
  thresholdMs = healthThresholdMsDefault,
): WorkerStatus | null {
  const silentMs = nowMs - Date.parse(info.last_heartbeat)
  if (silentMs > forgottenMs) return null
  return { ...info, status: silentMs > thresholdMs ? 'stale' : 'active' }
}

/** What another program may leave out. */
export const absent = {
  started_at: timeOf(0),
  shards: [],
  current_task: null,
  tasks_completed: 0,
  tasks_failed: 0,
  task_types: [],
  concurrency: 1,
  running: [],
}
