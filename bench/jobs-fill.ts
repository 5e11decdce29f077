import type { Store, Write } from 'holdfast/store'

const writesPerCommit = 1_000
const commitsInFlight = 8

/** Puts so many completed tasks into a store, each with its key and its place in the indexes, as `TaskManager` would. */
export async function fillCompleted(store: Store, count: number): Promise<void> {
  let writes: Write[] = []
  let commits: Promise<unknown>[] = []
  const flush = async () => {
    commits.push(store.commit(writes))
    writes = []
    if (commits.length < commitsInFlight) return
    await Promise.all(commits)
    commits = []
  }
  for (let at = 0; at < count; at++) {
    for (const write of completedTask(at)) writes.push(write)
    if (writes.length >= writesPerCommit) await flush()
  }
  await flush()
  await Promise.all(commits)
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const createdMs = Date.UTC(2026, 0, 1)

function completedTask(at: number): Write[] {
  const id = `01KDVDNC00${at.toString(32).toUpperCase().padStart(16, '0')}`
  const key = `order-${at}-process`
  const time = new Date(createdMs + at).toISOString()
  const place = `${String(createdMs + at).padStart(15, '0')}-${id}`
  const task = {
    id,
    idempotencyKey: key,
    payload: Buffer.from(`{"order":${at}}`).toString('base64'),
    status: 'completed',
    attempts: 1,
    maxAttempts: 3,
    createdAt: time,
    claimedAt: time,
    claimedBy: 'worker',
    completedAt: time,
    result: Buffer.from('done').toString('base64'),
    error: null,
  }
  const entry = (path: string, value: string): Write => ({
    type: 'create',
    key: `tasks/${path}`,
    value: encode(value),
  })
  return [
    entry(`task/${id}`, JSON.stringify(task)),
    entry(`idem/${key}`, id),
    entry(`created/${place}`, ''),
    entry(`status/completed/${place}`, ''),
  ]
}
