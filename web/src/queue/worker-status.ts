import { healthThresholdMsDefault, type WorkerStatus } from '../../../src/queue/worker-info.ts'

/**
 * Whether a worker is heard of, at this moment: it falls silent without telling anybody, so no answer of a source can say when
 * that will be. What a source calls stale stays so until it is heard of again.
 */
export const statusAt = (worker: WorkerStatus, nowMs: number): WorkerStatus['status'] =>
  nowMs - Date.parse(worker.last_heartbeat) > healthThresholdMsDefault ? 'stale' : worker.status
