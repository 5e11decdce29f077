import { setTimeout as sleep } from 'node:timers/promises'
import { checkedOptions, type Store } from '../store/internal.ts'
import { taskPath, tasksPrefix } from './keys.ts'
import { labelsOf } from './metrics.ts'
import { Repository } from './repository.ts'
import { statuses, type TaskStatus } from './task.ts'

/** Counting takes at most such a part of the time. */
const shareMax = 0.1
const freshMsDefault = 5_000
/** Whoever asks waits no longer than this; then he gets what was counted last. */
const waitMsMax = 5_000
/** Of so many tasks it is remembered what they were; others are read each time. */
const rememberedMax = 200_000
const readAtOnce = 256

/** Status and type of a task in one word, by which it is counted. */
type Kind = string
const kindOf = (status: TaskStatus, type: string): Kind => `${status} ${type}`
const typeOf = (kind: Kind): string => kind.slice(kind.indexOf(' ') + 1)

interface Seen {
  readonly revision: string
  /** Null for what can't be read. */
  readonly kind: Kind | null
}

/** How to count. */
export interface TaskGaugesOptions {
  /** What was counted serves for so long whoever asks next; 5 s where it is left out, 0 for not at all. */
  readonly freshMs?: number | undefined
}

/**
 * How many tasks a store holds by type and status, as Prometheus reads it. To count means to list them all; read are only
 * those that have changed since.
 */
export class TaskGauges {
  readonly #repository: Repository
  readonly #freshMs: number
  readonly #seen = new Map<string, Seen>()
  #counts: ReadonlyMap<Kind, number> = new Map()
  #counting: Promise<void> | undefined
  /** By `performance.now()`. */
  #countedAt = Number.NEGATIVE_INFINITY
  #nextAt = 0
  #isUp = true

  constructor(store: Store, options: TaskGaugesOptions = {}) {
    const { freshMs = freshMsDefault } = checkedOptions(store, options)
    this.#freshMs = freshMs
    this.#repository = new Repository(store, () => {})
  }

  /** Never throws: that the store is away is told, too. */
  async render(): Promise<string> {
    if (performance.now() >= this.#nextAt) this.#counting ??= this.#recount()
    const stop = new AbortController()
    const waiting = sleep(waitMsMax, undefined, { signal: stop.signal }).catch(() => {})
    await Promise.race([this.#counting, waiting])
    stop.abort()
    return `${this.#lines().join('\n')}\n`
  }

  #lines(): string[] {
    const gauge = (name: string, help: string) => [
      `# HELP holdfast_${name} ${help}`,
      `# TYPE holdfast_${name} gauge`,
    ]
    const up = [...gauge('store_up', 'Whether the store could be counted the last time.')]
    up.push(`holdfast_store_up ${this.#isUp ? 1 : 0}`)
    if (this.#countedAt === Number.NEGATIVE_INFINITY) return up
    const ageSeconds = (performance.now() - this.#countedAt) / 1000
    const types = [...new Set([...this.#counts.keys()].map(typeOf))].sort()
    return [
      ...up,
      ...gauge('queue_tasks', 'Tasks of the queue, by type and status.'),
      ...types.flatMap((type) =>
        statuses.map((status) => {
          const count = this.#counts.get(kindOf(status, type)) ?? 0
          return `holdfast_queue_tasks${labelsOf({ type, status })} ${count}`
        }),
      ),
      ...gauge('queue_tasks_age_seconds', 'How long ago they were counted.'),
      `holdfast_queue_tasks_age_seconds ${ageSeconds.toFixed(3)}`,
    ]
  }

  async #recount(): Promise<void> {
    const startedAt = performance.now()
    try {
      this.#counts = await this.#count()
      this.#countedAt = startedAt
      this.#isUp = true
    } catch {
      this.#isUp = false
    }
    const tookMs = performance.now() - startedAt
    if (this.#freshMs > 0) this.#nextAt = startedAt + Math.max(this.#freshMs, tookMs / shareMax)
    this.#counting = undefined
  }

  async #count(): Promise<ReadonlyMap<Kind, number>> {
    const counts = new Map<Kind, number>()
    const add = ({ kind }: Seen) => {
      if (kind !== null) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
    let changed = new Map<string, string>()
    const read = async () => {
      for (const seen of await this.#read(changed)) add(seen)
      changed = new Map()
    }
    for await (const { key, revision } of this.#repository.store.list(tasksPrefix)) {
      const id = taskPath.idOf(key.slice(tasksPrefix.length + 1))
      if (id === null) continue
      const seen = this.#seen.get(id)
      if (seen?.revision === revision) add(seen)
      else changed.set(id, revision)
      if (changed.size >= readAtOnce) await read()
    }
    await read()
    return counts
  }

  /** What these tasks are, by their ids and the revisions that were listed. */
  async #read(listed: ReadonlyMap<string, string>): Promise<Seen[]> {
    const found = new Map<string, Seen>()
    for (const [id, revision] of listed) found.set(id, { revision, kind: null })
    for (const { id, revision, value } of await this.#repository.tasks.getAll([...listed.keys()]))
      found.set(id, { revision, kind: kindOf(value.task.status, value.task.task_type) })
    for (const [id, seen] of found)
      if (this.#seen.has(id) || this.#seen.size < rememberedMax) this.#seen.set(id, seen)
    return [...found.values()]
  }
}
