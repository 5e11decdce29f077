import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type Task, TaskManager } from '../../src/jobs/index.ts'
import type { Store } from '../../src/store/index.ts'

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

interface Stored {
  id: string
  idempotencyKey: string | null
  status: string
  createdAt: string
  claimedAt: string | null
}

/** A text as one segment of a key, worked out by hand. */
function segmentOf(value: string): string {
  if (value === '.' || value === '..') return value.replaceAll('.', '%2E')
  return value.replace(/[%/\p{Cc}]/gu, encodeURIComponent)
}

/** Where an idempotency key lies, as the specification says: escaped, or hashed where that is too long. */
export function idemPathOf(key: string): string {
  const escaped = key.isWellFormed() ? segmentOf(key) : ''
  if (escaped !== '' && Buffer.byteLength(escaped) <= 200) return `tasks/idem/${escaped}`
  const hash = createHash('sha256').update(JSON.stringify(key)).digest('hex')
  return `tasks/idem/%sha256-${hash}`
}

const digits = (time: string): string => String(Date.parse(time)).padStart(15, '0')

/**
 * What must stand beside the tasks, by what these say: keys and values. A task that is half deleted has no claim to
 * its key any more.
 */
function implied({ tasks, rest }: Dump, halfDeleted: ReadonlySet<string>): Map<string, string> {
  const expected = new Map<string, string>()
  for (const { id, idempotencyKey, status, createdAt, claimedAt } of tasks) {
    const place = `${digits(createdAt)}-${segmentOf(id)}`
    const claim = status === 'claimed' ? `-${digits(claimedAt as string)}` : ''
    expected.set(`tasks/created/${place}`, '')
    expected.set(`tasks/status/${status}/${place}${claim}`, '')
    if (idempotencyKey !== null) {
      const path = idemPathOf(idempotencyKey)
      if (halfDeleted.has(id) && rest.get(path) !== id) continue
      assert.ok(!expected.has(path), `two tasks have the key ${idempotencyKey}`)
      expected.set(path, id)
    }
  }
  return expected
}

interface Dump {
  readonly tasks: readonly Stored[]
  readonly rest: ReadonlyMap<string, string>
}

async function dump(store: Store): Promise<Dump> {
  const tasks: Stored[] = []
  const rest = new Map<string, string>()
  for await (const { key, value } of store.scan('tasks')) {
    if (!key.startsWith('tasks/task/')) rest.set(key, text(value))
    else {
      const task = JSON.parse(text(value)) as Stored
      assert.equal(key, `tasks/task/${segmentOf(task.id)}`)
      tasks.push(task)
    }
  }
  return { tasks, rest }
}

const sorted = (map: ReadonlyMap<string, string>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

/** Keys and indexes are exactly what the tasks say, and nothing else is there. */
export async function assertLayout(
  store: Store,
  halfDeleted: ReadonlySet<string> = new Set(),
): Promise<void> {
  const found = await dump(store)
  assert.deepEqual(sorted(found.rest), sorted(implied(found, halfDeleted)))
}

/** No index lacks a task, whatever it has too many; nor is a key another task's. */
export async function assertNoneMissing(
  store: Store,
  halfDeleted: ReadonlySet<string> = new Set(),
): Promise<void> {
  const found = await dump(store)
  for (const [key, value] of implied(found, halfDeleted))
    if (!key.startsWith('tasks/idem/'))
      assert.equal(found.rest.get(key), value, `${key} is missing`)
}

/** The stored JSON of a task. */
export async function storedTask(store: Store, id: string): Promise<Record<string, unknown>> {
  const entry = await store.get(`tasks/task/${segmentOf(id)}`)
  assert.ok(entry, `there is no task ${id}`)
  return JSON.parse(text(entry.value))
}

/** Every task, page by page. */
export async function allTasks(store: Store): Promise<Task[]> {
  const tasks: Task[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<TaskManager['list']>> = await new TaskManager(store).list(
      undefined,
      { limit: 1_000, cursor },
    )
    tasks.push(...page.tasks)
    cursor = page.cursor
  } while (cursor !== null)
  return tasks
}
