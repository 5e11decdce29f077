import {
  Collection,
  CorruptDocumentError,
  type Definition,
  type Held,
  jsonCodec,
  pooled,
} from '../collection/index.ts'
import type { Store } from '../store/internal.ts'
import { checkWorkerId } from './checks.ts'
import { WorkerNotFoundError } from './error.ts'
import { workerPath, workersPrefix } from './keys.ts'
import { SetAside } from './set-aside.ts'
import { parseTime, timeOf } from './time.ts'
import {
  absent,
  healthThresholdMsDefault,
  statusOf,
  type WorkerInfo,
  type WorkerStatus,
} from './worker-info.ts'

const definition: Definition<WorkerInfo> = {
  noun: 'worker',
  prefix: workersPrefix,
  path: workerPath,
  indexes: [],
  codec: jsonCodec((parsed, id) => {
    if (typeof parsed !== 'object' || parsed === null) throw new Error('it is no JSON object')
    const given = parsed as Partial<WorkerInfo>
    const info: WorkerInfo = { worker_id: id, last_heartbeat: '', ...absent, ...given }
    if (info.worker_id !== id) throw new Error('its worker_id is not that of its key')
    if (parseTime(info.last_heartbeat) === null) throw new Error('its last_heartbeat is no time')
    return info
  }),
  remedy: 'Delete the object.',
}

export { healthThresholdMsDefault }

/** The workers that have registered themselves. */
export class Registry {
  readonly #workers: Collection<WorkerInfo>

  constructor(store: Store, onWarning: (warning: string) => void) {
    const aside = new SetAside(onWarning)
    this.#workers = new Collection(store, definition, {
      onCorrupt: ({ id, what }) => aside.tell(id, what),
    })
  }

  /** All of them, by id. */
  async list(nowMs: number, thresholdMs = healthThresholdMsDefault): Promise<WorkerStatus[]> {
    const all = await this.#workers.values()
    return all.flatMap((info) => statusOf(info, nowMs, thresholdMs) ?? [])
  }

  /** Removes workers that have been silent for so long that they are gone, unless one is heard of meanwhile. */
  async forget(nowMs: number): Promise<string[]> {
    const gone = (await this.#workers.values()).filter((info) => statusOf(info, nowMs) === null)
    const removed = await pooled(gone, async ({ worker_id: id }) => {
      try {
        const before = await this.#workers.delete(id, (info) => {
          if (statusOf(info, nowMs) !== null) throw new HeardOf()
        })
        return before === null ? [] : [id]
      } catch (error) {
        if (error instanceof HeardOf) return []
        throw error
      }
    })
    return removed.flat()
  }

  /** What a worker says of itself, `corrupt` where that can't be read, null where it is not registered. */
  async find(id: string): Promise<WorkerInfo | 'corrupt' | null> {
    try {
      return (await this.#workers.get(id))?.value ?? null
    } catch (error) {
      if (error instanceof CorruptDocumentError) return 'corrupt'
      throw error
    }
  }

  /** Writes what a worker says of itself: one request, as long as nobody else writes it. */
  async put(info: WorkerInfo, held: Held<WorkerInfo> | null): Promise<Held<WorkerInfo> | null> {
    const id = info.worker_id
    const added = held ? null : await this.#workers.add(id, info)
    if (added) return added
    const outcome = held
      ? await this.#workers.changeHeld(held, () => info)
      : await this.#workers.change(id, () => info)
    // Somebody may have removed it meanwhile.
    return outcome?.after ? outcome.held : this.#workers.add(id, info)
  }

  async remove(id: string): Promise<void> {
    await this.#workers.discard(id)
  }
}

/** A worker that was thought to be gone is not. */
class HeardOf extends Error {}

/** Removes registrations, once all are found; answers with what they said last. */
export async function removeWorkers(
  registry: Registry,
  given: readonly string[],
  now: () => number | Promise<number>,
): Promise<WorkerStatus[]> {
  const ids = [...new Set(given.map(checkWorkerId))]
  const found = await pooled(ids, (id) => registry.find(id))
  const missing = ids.find((_, at) => found[at] === null)
  if (missing !== undefined) throw new WorkerNotFoundError(missing)
  const nowMs = await now()
  await pooled(ids, (id) => registry.remove(id))
  return ids.map((worker_id, at) => {
    const info = found[at] as WorkerInfo | 'corrupt'
    const told = info === 'corrupt' ? { ...absent, worker_id, last_heartbeat: timeOf(0) } : info
    return statusOf(told, nowMs) ?? { ...told, status: 'stale' }
  })
}
