/** What a raw loop writes as the three states of a task. */
export interface Rows {
  submitted(task: RawTask): Uint8Array
  /** From what was read. */
  claimed(task: RawTask, submitted: Uint8Array): Uint8Array
  completed(task: RawTask): Uint8Array
}

export interface RawTask {
  readonly number: number
  readonly id: string
  readonly shard: string
  readonly key: string
  readonly readyKey: string
  readonly leaseKey: string
  revision: number
  document: RawDocument | null
}

/** What changes of it. */
interface RawDocument {
  status: string
  updated_at: string
  completed_at: string | null
  lease_expires_at: string | null
  worker_id: string | null
  lease_id: string | null
  attempt: number
  _history: unknown[][]
}

/** Its keys are like real ones, and like them grow within each shard. */
export function rawTask(number: number): RawTask {
  const shard = ((number * 7919) % 16).toString(16)
  const time = (0x19a8c31f200 + Math.floor(number / 20)).toString(16).padStart(11, '0')
  const rest = number.toString(16).padStart(12, '0')
  const id = `${shard}${time.slice(0, 7)}-${time.slice(7)}-8b1e-9d3c-${rest}`
  return {
    number,
    id,
    shard,
    key: `qo/tasks/${shard}/${id}.json`,
    readyKey: `qo/ready/${shard}/0029384720/${id}`,
    leaseKey: `qo/leases/${shard}/0029384725/${id}`,
    revision: 0,
    document: null,
  }
}

const blank = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(97)
const [blankSubmitted, blankClaimed, blankCompleted] = [blank(626), blank(785), blank(881)]

/** As long as real documents, and made once: no more than SQLite has to do. */
export const blankRows: Rows = {
  submitted: () => blankSubmitted,
  claimed: () => blankClaimed,
  completed: () => blankCompleted,
}

const policy = {
  initial_interval_ms: 1000,
  max_interval_ms: 60_000,
  multiplier: 2,
  jitter_percent: 10,
}

/** The documents themselves, made, read and changed by hand: what any loop has to do that leaves the same rows behind. */
export const documentRows: Rows = {
  submitted({ id, shard, number }) {
    const now = new Date().toISOString()
    return bytesOf({
      id,
      task_type: 'bench',
      shard,
      status: 'pending',
      available_at: now,
      lease_expires_at: null,
      input: { number },
      output: null,
      timeout_seconds: 300,
      max_retries: 3,
      retry_count: 0,
      retry_policy: policy,
      created_at: now,
      updated_at: now,
      completed_at: null,
      worker_id: null,
      lease_id: null,
      attempt: 0,
      last_error: null,
      idempotency_key: null,
      cancel_requested: false,
      archived_from: null,
      input_ref: null,
      output_ref: null,
    })
  },
  claimed(task, submitted) {
    const document = JSON.parse(decoder.decode(submitted)) as RawDocument
    const now = Date.now()
    document._history = [
      [0, document.status, 2, null, 7, document.updated_at, 9, null, 10, null, 11, 0],
    ]
    document.status = 'running'
    document.updated_at = new Date(now).toISOString()
    document.lease_expires_at = new Date(now + 300_000).toISOString()
    document.worker_id = 'worker-1'
    document.lease_id = task.id
    document.attempt = 1
    task.document = document
    return bytesOf(document)
  },
  completed(task) {
    const document = task.document as RawDocument
    const { status, lease_expires_at, updated_at, lease_id } = document
    document._history.push([0, status, 2, lease_expires_at, 7, updated_at, 8, null, 10, lease_id])
    document.status = 'completed'
    document.updated_at = new Date().toISOString()
    document.completed_at = document.updated_at
    document.lease_expires_at = null
    document.lease_id = null
    return bytesOf(document)
  },
}

const decoder = new TextDecoder()
const bytesOf = (document: object): Uint8Array => Buffer.from(JSON.stringify(document))
