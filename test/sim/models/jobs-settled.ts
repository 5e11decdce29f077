import type { TaskManager } from '../../../src/jobs/index.ts'
import type { Observer } from '../model.ts'
import type { Stored } from './jobs-oracle.ts'

interface Settled {
  readonly observer: Observer
  readonly manager: TaskManager
  readonly tasks: ReadonlyMap<string, Stored>
  /** Whose deletion was asked for. */
  readonly doomed: ReadonlySet<string>
  /** Tasks that came back after they were deleted; their keys may be others'. */
  readonly risen: ReadonlySet<string>
  readonly isAcknowledged: (id: string) => boolean
  readonly isEarly: boolean
  readonly violated: (what: string) => void
}

/** What must hold once nothing goes wrong any more, and leftovers have had time to be repaired. */
export async function checkSettled(settled: Settled): Promise<void> {
  if (settled.isEarly) await drainEarly(settled)
  for (let round = 0; round < 3; round++) {
    await settled.manager.repair()
    await settled.observer.sleep(30_000)
  }
  await compareIndexes(settled)
  await compareKeys(settled)
  await drain(settled)
}

/** A worker that nobody competes with gets the oldest first, whatever a crash has left. */
async function drainEarly({ tasks, manager, isAcknowledged, violated }: Settled): Promise<void> {
  const order = ordered(tasks)
  const got: string[] = []
  const next = () => manager.claimNext('early')
  for (let task = await next(); task; task = await next()) got.push(task.id)
  const left = order.filter((id) => isAcknowledged(id) && !got.includes(id))
  if (left.length > 0) violated(`a lone worker did not get ${left.join(', ')}`)
  const expected = order.filter((id) => got.includes(id))
  if (expected.join() !== got.join())
    violated(`pending were ${expected.join(', ')}; a lone worker got ${got.join(', ')}`)
}

/** The ids of all that is pending, oldest first. */
const ordered = (tasks: Settled['tasks']): string[] =>
  [...tasks.values()]
    .filter(({ status }) => status === 'pending')
    .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id)

/** What is pending somebody gets, oldest first; then nothing is. */
async function drain({ tasks, manager, violated }: Settled): Promise<void> {
  const expected = ordered(tasks)
  const got: string[] = []
  for (let task = await manager.claimNext('last'); task; task = await manager.claimNext('last'))
    got.push(task.id)
  if (expected.join() !== got.join())
    violated(`pending were ${expected.join(', ')}; a lone worker got ${got.join(', ')}`)
}

async function compareIndexes({ tasks, manager, violated }: Settled): Promise<void> {
  const report = await manager.repair({ dryRun: true })
  const left = Object.entries(report).filter(([, count]) => typeof count === 'number' && count > 0)
  const drift = left.filter(([name]) => name === 'missing' || name === 'stale')
  if (drift.length > 0) violated(`after repair the indexes differ: ${JSON.stringify(report)}`)
  for (const status of ['pending', 'claimed', 'completed', 'failed'] as const) {
    const listed = (await manager.list(status, { limit: 1000 })).tasks.map(({ id }) => id).sort()
    const stored = [...tasks.values()].filter((task) => task.status === status)
    const ids = stored.map(({ id }) => id).sort()
    if (listed.join() !== ids.join())
      violated(`list(${status}) gave ${listed.join(', ')} instead of ${ids.join(', ')}`)
  }
}

/** tasks/idem/{key} holds the id of the task with this key, and nothing else is there. */
async function compareKeys({
  tasks,
  doomed,
  risen,
  observer: { store },
  violated,
}: Settled): Promise<void> {
  for await (const { key, value } of store.scan('tasks/idem')) {
    const id = new TextDecoder().decode(value)
    if (tasks.get(id)?.idempotencyKey !== key.slice('tasks/idem/'.length))
      violated(`${key} names ${id}, which does not have this key`)
  }
  for (const { id, idempotencyKey, status } of tasks.values()) {
    if (idempotencyKey === null) continue
    // A deletion that was interrupted has taken the key first. What came back, and has ended, is nobody's either.
    const isOver = status === 'completed' || status === 'failed'
    if (isOver && (doomed.has(id) || risen.has(id))) continue
    const entry = await store.get(`tasks/idem/${idempotencyKey}`)
    if (entry === null || new TextDecoder().decode(entry.value) !== id)
      violated(`the key ${idempotencyKey} of ${id} is not its own`)
  }
}
