import { statusOf, type WorkerInfo, type WorkerStatus } from '../../../src/queue/registry.ts'
import { storeNow } from '../clock.ts'
import type { Client } from './client.ts'
import { eachOf, listed } from './listing.ts'

const workersMax = 200

const absent: Omit<WorkerInfo, 'worker_id' | 'last_heartbeat' | 'started_at'> = {
  shards: [],
  current_task: null,
  tasks_completed: 0,
  tasks_failed: 0,
  task_types: [],
  concurrency: 1,
  running: [],
}

/** The workers that have registered themselves; what can't be read as one is left out. */
export async function workersIn(client: Client, signal?: AbortSignal): Promise<WorkerStatus[]> {
  const { heads } = await listed(client, 'workers/', signal)
  const found = await eachOf(heads.slice(0, workersMax), ({ name }) => client.get(name, { signal }))
  return found.flatMap((each) => (each ? workerIn(each.text) : []))
}

function workerIn(text: string): WorkerStatus[] {
  try {
    const given = JSON.parse(text) as WorkerInfo
    const isTime = !Number.isNaN(Date.parse(given.last_heartbeat))
    if (typeof given.worker_id !== 'string' || !isTime) return []
    return [statusOf({ ...absent, ...given }, storeNow()) ?? []].flat()
  } catch {
    return []
  }
}
