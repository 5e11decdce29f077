import { Monitor, Queue } from '../../../../src/queue/index.ts'
import type { Observer } from '../../model.ts'
import { drain } from './drain.ts'
import type { Tools } from './handlers.ts'
import { checkMoved } from './move-away.ts'
import { statuses, workersPrefix } from './stored.ts'

const graceMs = 11_000
/** A monitor looks no more often for what removals and heartbeats have left. */
const purgeMs = 60_000

/** What must hold once nothing goes wrong any more: all is done, everything was swept, and every question is answered. */
export async function checkSettled(tools: Tools, observer: Observer): Promise<void> {
  const monitor = new Monitor(observer.store, { graceMs, sweepIntervalMs: 0 })
  await sweep(monitor, observer)
  await drain(tools, observer, monitor)
  await sweep(monitor, observer)
  await observer.sleep(purgeMs)
  await sweep(monitor, observer)
  await monitor.stop()
  const { oracle } = tools
  oracle.entries.checkAll(oracle.tasks.values(), oracle.attempts.isTimely)
  const queue = new Queue(observer.store)
  await compareLists(tools, queue)
  await compareStats(tools, queue)
  await compareHistories(tools, observer, queue)
  await compareWorkers(tools, queue)
  await checkPurged(tools, observer)
  await queue.close()
  for (const flaw of oracle.calls.flaws()) oracle.violated(flaw)
  const left = observer.sim.watchCount
  if (left > 0) oracle.violated(`the last workers have left ${left} watches open`)
}

async function sweep(monitor: Monitor, observer: Observer): Promise<void> {
  for (let isThrough = false; !isThrough; ) ({ isThrough } = await monitor.sweep())
  await observer.sleep(1)
}

async function compareLists({ oracle, scene }: Tools, queue: Queue): Promise<void> {
  const limit = scene.random.pick([2, 1000, 1000, 1000])
  for (const status of statuses) {
    const ids: string[] = []
    let cursor: string | null = null
    do {
      const page = await queue.list({ status, limit, cursor })
      ids.push(...page.tasks.map(({ id }) => id))
      cursor = page.cursor
    } while (cursor !== null)
    const stored = oracle.withStatus(status).map(({ id }) => id)
    if (ids.toSorted().join() !== stored.sort().join())
      oracle.violated(`list(${status}) gave ${ids.join(', ')} instead of ${stored.join(', ')}`)
  }
}

async function compareStats({ oracle }: Tools, queue: Queue): Promise<void> {
  const { by_status, total } = await queue.stats()
  if (total !== oracle.tasks.size) oracle.violated(`stats counts ${total} of ${oracle.tasks.size}`)
  for (const status of statuses) {
    const count = oracle.withStatus(status).length
    if (by_status[status] !== count)
      oracle.violated(`stats counts ${by_status[status]} ${status} tasks instead of ${count}`)
  }
}

async function compareHistories(tools: Tools, observer: Observer, queue: Queue): Promise<void> {
  const { oracle } = tools
  for (const id of oracle.tasks.keys())
    oracle.told(
      id,
      (await queue.history(id)).map(({ task }) => task),
      oracle.now,
    )
  await checkMoved(tools, observer)
}

/** Of what workers have said of themselves a bucket keeps the last state at most. */
async function checkPurged({ oracle }: Tools, { store }: Observer): Promise<void> {
  if (!store.versions) return
  for (const id of oracle.attempts.employees.keys()) {
    let count = 0
    for await (const _ of store.versions(`${workersPrefix}${id}.json`)) count++
    if (count > 1) oracle.violated(`${count} states of the registration of ${id} are left`)
  }
}

/** Who has ended is not registered any more, unless it was killed, or could not reach the store. */
async function compareWorkers({ oracle }: Tools, queue: Queue): Promise<void> {
  for (const { worker_id } of await queue.workers()) {
    const employee = oracle.attempts.employees.get(worker_id)
    if (!employee) oracle.violated(`${worker_id} is registered, and was never hired`)
    else if (employee.stoppingAt !== null && !employee.process.isDead && oracle.attempts.isCalm)
      oracle.violated(`${worker_id} has ended, and is registered still`)
  }
}
