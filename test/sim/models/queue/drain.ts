import type { Monitor } from '../../../../src/queue/index.ts'
import { Queue } from '../../../../src/queue/index.ts'
import type { Entry, Store } from '../../../../src/store/index.ts'
import type { Observer } from '../../model.ts'
import type { Tools } from './handlers.ts'
import { msOf } from './moves.ts'
import { dismiss, hire, type Job, types } from './staff.ts'
import { decoded, type Stored, taskPrefix } from './stored.ts'

const lone: Omit<Job, 'id' | 'types' | 'idleMsMax'> = {
  concurrency: 3,
  prefetch: 0,
  leaseMs: undefined,
  hasThread: false,
  endMs: 500,
  indexMode: 'index-only',
  readyPageSize: 100,
  monitor: false,
}
const drainedMsMax = 30 * 60_000

/** Where somebody tells of new tasks, looking for them can be seldom. */
const idleMsMax = ({ scene }: Tools): number => (scene.kind.watchMs === null ? 5_000 : 30_000)

/** Everything that is pending somebody gets, and everything that runs ends. */
export async function drain(tools: Tools, observer: Observer, monitor: Monitor): Promise<void> {
  const { oracle, scene } = tools
  // It takes as long as all that came before it.
  if (scene.random.chance(0.4)) await serveOne(tools, observer)
  const place = { process: observer.process, store: observer.store }
  const hired = await hire(tools, place, {
    ...lone,
    id: 'last',
    types,
    concurrency: 20,
    idleMsMax: idleMsMax(tools),
  })
  const until = oracle.now + drainedMsMax
  while (left(tools).length > 0 && oracle.now < until) {
    await observer.sleep(20_000)
    await monitor.check()
  }
  for (const { id, status } of left(tools)) oracle.violated(`${id} is still ${status} at the end`)
  await dismiss(tools, hired, { deadlineMs: 5_000, beforeExit: false })
}

/** Where a clock was wrong, some tasks are for a time that is far away. */
function left({ oracle, scene }: Tools): Stored[] {
  const wallMs = scene.world.epochMs + oracle.now
  const isLater = ({ available_at, lease_expires_at }: Stored) =>
    !oracle.attempts.isTimely && msOf(lease_expires_at ?? available_at) > wallMs
  const tasks = [...oracle.withStatus('pending'), ...oracle.withStatus('running')]
  return tasks.filter((task) => !isLater(task))
}

/** A worker of one type gets a new task of it soon, whatever else is pending, and reads nothing that is not for it. */
async function serveOne(tools: Tools, observer: Observer): Promise<void> {
  const { oracle, scene } = tools
  const type = scene.random.pick(types)
  const reads = new Map<string, number>()
  const store = countingReads(observer.store, reads)
  const place = { process: observer.process, store }
  const readyPageSize = scene.random.pick([2, 100, 100])
  const hired = await hire(tools, place, {
    ...lone,
    id: 'lone',
    types: [type],
    readyPageSize,
    idleMsMax: idleMsMax(tools),
  })
  await observer.sleep(3_000)
  const queue = new Queue(observer.store)
  const { id } = await queue.submit({ type, input: { mark: 'the last one', dice: 1 } })
  const soonMs = 6_000 + 20 * scene.kind.latencyMs[1]
  await observer.sleep(soonMs)
  if (oracle.tasks.get(id)?.attempt === 0)
    oracle.violated(`${id} was not begun in ${soonMs} ms, though its worker had nothing else to do`)
  await observer.sleep(10_000)
  await dismiss(tools, hired, { deadlineMs: 5_000, beforeExit: false })
  await queue.close()
  for (const [key, count] of reads) {
    const task = oracle.tasks.get(key)
    // Where ids do not tell, a task is read to know its type: once, and once more where its id tells another.
    if (task && task.task_type !== type && count > 2)
      oracle.violated(
        `a worker for ${type} has read the ${task.task_type} task ${key} ${count} times`,
      )
  }
}

/** Counts how often each task is read. */
function countingReads(store: Store, reads: Map<string, number>): Store {
  const note = ({ key, value }: Entry) => {
    const { id } = decoded(value)
    if (key.startsWith(taskPrefix)) reads.set(id, (reads.get(id) ?? 0) + 1)
  }
  return new Proxy(store, {
    get(target, name) {
      if (name === 'get')
        return async (key: string) => {
          const entry = await target.get(key)
          if (entry && key.startsWith(taskPrefix)) note(entry)
          return entry
        }
      const value = target[name as keyof Store]
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
