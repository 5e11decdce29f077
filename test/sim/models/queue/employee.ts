import type { WorkerEvent } from '../../../../src/queue/index.ts'
import type { Process } from '../../process.ts'
import type { Move } from './moves.ts'
import type { Stored } from './stored.ts'

/** A worker of some process, as the workload has set it up. */
export interface Employee {
  readonly id: string
  readonly process: Process
  readonly types: readonly string[]
  readonly concurrency: number
  readonly leaseMs: number | undefined
  readonly hasThread: boolean
  /** Since when it has been told to stop, in virtual time; null where it was not. */
  stoppingAt: number | null
  /** Its process exits: its handlers run no more, or won't from one moment to the next. */
  isExiting: boolean
  isExited: boolean
  /** How long its handlers may take to end after they were aborted. */
  readonly endMs: number
  /** Attempts whose handlers have begun and not ended. */
  readonly running: Set<Attempt>
  readonly told: Map<WorkerEvent['type'], number>
}

/** One claim, from its write to its end. */
export interface Attempt {
  readonly id: string
  readonly leaseId: string
  readonly workerId: string
  readonly timeoutMs: number
  employee: Employee | null
  /** Of its handler; null where that has not begun, or not ended. */
  beganAt: number | null
  endedAt: number | null
  abortedAt: number | null
  /** What its handler has thrown, or returned. */
  thrown: string | null
  isPermanent: boolean
  hasReturned: boolean
  cancelAskedAt: number | null
  isExtended: boolean
  isBlocking: boolean
  /** What ended it in the store, and how it was told. */
  end: { readonly move: Move; readonly after: Stored; readonly isMonitors: boolean } | null
  told: WorkerEvent['type'] | null
}

/** A claim that has just been written. */
export const newAttempt = (task: Stored, employee: Employee | null): Attempt => ({
  id: task.id,
  leaseId: task.lease_id as string,
  workerId: task.worker_id as string,
  timeoutMs: task.timeout_seconds * 1000,
  employee,
  beganAt: null,
  endedAt: null,
  abortedAt: null,
  thrown: null,
  isPermanent: false,
  hasReturned: false,
  cancelAskedAt: null,
  isExtended: false,
  isBlocking: false,
  end: null,
  told: null,
})
