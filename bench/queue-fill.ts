import type { Store, Write } from 'holdfast/store'

export type Kind = 'delayed' | 'failed' | 'completed'

const writesPerCommit = 1_000
const commitsInFlight = 8
const dayMs = 86_400_000

/** Puts so many tasks into a store that no worker has anything to do with, each with its place in the indexes. */
export async function fillQueue(store: Store, kind: Kind, count: number): Promise<void> {
  let writes: Write[] = []
  let commits: Promise<unknown>[] = []
  const flush = async () => {
    commits.push(store.commit(writes))
    writes = []
    if (commits.length < commitsInFlight) return
    await Promise.all(commits)
    commits = []
  }
  const createdMs = Date.now() - dayMs
  for (let at = 0; at < count; at++) {
    writes.push(...taskWrites(kind, createdMs + Math.floor(at / 20), at))
    if (writes.length >= writesPerCommit) await flush()
  }
  await flush()
  await Promise.all(commits)
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

function taskWrites(kind: Kind, createdMs: number, at: number): Write[] {
  const shard = (at % 16).toString(16)
  const time = createdMs.toString(16).padStart(11, '0')
  const rest = at.toString(16).padStart(12, '0')
  const id = `${shard}${time.slice(0, 7)}-${time.slice(7)}-8000-8000-${rest}`
  const availableMs = kind === 'delayed' ? Date.now() + dayMs + at : createdMs
  const created = new Date(createdMs).toISOString()
  const task = {
    id,
    task_type: 'bench',
    shard,
    status: kind === 'delayed' ? 'pending' : kind,
    available_at: new Date(availableMs).toISOString(),
    lease_expires_at: null,
    input: { number: at },
    output: null,
    timeout_seconds: 300,
    max_retries: 3,
    retry_count: 0,
    retry_policy: {
      initial_interval_ms: 1000,
      max_interval_ms: 60_000,
      multiplier: 2,
      jitter_percent: 0.25,
    },
    created_at: created,
    updated_at: created,
    completed_at: kind === 'completed' ? created : null,
    worker_id: null,
    lease_id: null,
    attempt: kind === 'delayed' ? 0 : 1,
    last_error: kind === 'failed' ? 'broken' : null,
  }
  const entry = (key: string, value: string): Write => ({
    type: 'create',
    key,
    value: encode(value),
  })
  const document = entry(`qo/tasks/${shard}/${id}.json`, JSON.stringify(task))
  if (kind !== 'delayed') return [document]
  const minute = String(Math.floor(availableMs / 60_000)).padStart(10, '0')
  return [document, entry(`qo/ready/${shard}/${minute}/${id}`, 'bench')]
}
