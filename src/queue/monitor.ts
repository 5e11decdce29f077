import {
  CorruptDocumentError,
  FirstSeen,
  type Mark,
  pooled,
  type RepairPlace,
} from '../collection/index.ts'
import { checkedOptions, type Store, StoreError } from '../store/internal.ts'
import { checkNumber } from './checks.ts'
import { byReadiness, taskDefinition } from './document.ts'
import { TaskNotFoundError } from './error.ts'
import { shards } from './fields.ts'
import {
  bucketOf,
  firstAfter,
  idOfPlace,
  leasesPrefix,
  readyPrefix,
  straysPrefix,
  workersPrefix,
} from './keys.ts'
import { Metrics } from './metrics.ts'
import { healthThresholdMsDefault, Registry } from './registry.ts'
import { Repository } from './repository.ts'
import { isOfOneDocument, SetAside } from './set-aside.ts'
import { msOf } from './time.ts'
import { Memory } from './worker/memory.ts'

/** How a monitor works; all of it may be left out. */
export interface MonitorOptions {
  /** How often to look for expired leases and silent workers; 30 s where it is left out. */
  readonly checkIntervalMs?: number | undefined
  /** How long a worker may be silent; 60 s where it is left out. */
  readonly healthThresholdMs?: number | undefined
  /** How often to go on with putting the indexes right; 5 minutes where it is left out, 0 for never. */
  readonly sweepIntervalMs?: number | undefined
  /** How much of them at a time; 1000 where it is left out. */
  readonly sweepPageSize?: number | undefined
  /** How long a stale index entry is left to whoever is about to remove it; 5 minutes where it is left out. */
  readonly graceMs?: number | undefined
  /** Told in a sentence of what went wrong and could be helped. */
  readonly onWarning?: ((warning: string) => void) | undefined
  /** Told of each look that took tasks back whose leases had expired, by their ids. */
  readonly onExpired?: ((ids: readonly string[]) => void) | undefined
  /** Milliseconds since the epoch; the store's clock where it is left out. */
  readonly now?: (() => number | Promise<number>) | undefined
  /** Where to count what it does; its own where it is left out. */
  readonly metrics?: Metrics | undefined
}

/** What one look at leases and workers found. */
export interface CheckReport {
  /** Tasks whose leases had expired, and which are pending, failed or cancelled now. */
  readonly expired: readonly string[]
  /** Workers that have been silent for too long. */
  readonly stale: readonly string[]
}

/** What one step through the indexes found. */
export interface SweepReport {
  /** Entries that were not there, and are now. */
  readonly missing: number
  /** Entries that should not have been there, and are gone. */
  readonly stale: number
  /** What removals had left, on a store where they leave something. */
  readonly purged: number
  /** Whether it has come to the end of all there is, and begun anew. */
  readonly isThrough: boolean
}

const dayMs = 86_400_000
/** The documents and the indexes. */
const partsCount = 1 + taskDefinition.indexes.length
/** However often it sweeps, what removals left is looked for no more often. */
const purgeMsMin = 60_000
const orphansRemembered = 10_000
/** A task that can't be taken back is tried again after so long: somebody may have put it right. */
const hopelessMs = 10 * 60_000
const hopelessRemembered = 10_000
/** Timers that all start together would ask together for ever. */
const jitter = 0.1

/**
 * Takes tasks back whose leases have expired, tells of workers that are silent, and puts the indexes right in bounded
 * steps. Any number of monitors may run: each change is a compare-and-swap, and done once.
 */
export class Monitor implements AsyncDisposable {
  /** What it has done so far, for Prometheus. */
  readonly metrics: Metrics
  readonly #store: Store
  readonly #repository: Repository
  readonly #aside: SetAside
  readonly #registry: Registry
  readonly #now: () => number | Promise<number>
  readonly #onWarning: (warning: string) => void
  readonly #onExpired: (ids: readonly string[]) => void
  readonly #checkIntervalMs: number
  readonly #sweepIntervalMs: number
  readonly #sweepPageSize: number
  readonly #healthThresholdMs: number
  readonly #graceMs: number
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #running = new Set<Promise<unknown>>()
  readonly #silent = new Set<string>()
  /** Entries without a document. */
  readonly #orphans = new FirstSeen({ max: orphansRemembered, forgetMs: dayMs })
  /** Tasks that could not be taken back, since what they would become can't be read or written. */
  readonly #hopeless = new Memory(hopelessRemembered)
  #place: RepairPlace = null
  #purgedMs = Number.NEGATIVE_INFINITY
  #isStarted = false
  #isStopped = false

  /** `aside` is shared by who already has one. */
  constructor(store: Store, options: MonitorOptions = {}, aside?: SetAside) {
    const { onWarning = () => {}, now, metrics } = checkedOptions(store, options)
    this.#store = store
    this.#aside = aside ?? new SetAside(onWarning)
    this.#repository = new Repository(store, this.#aside)
    this.#registry = new Registry(store, onWarning)
    this.#now = now ?? (() => store.now())
    this.#onWarning = onWarning
    this.#onExpired = options.onExpired ?? (() => {})
    this.metrics = metrics ?? new Metrics(store)
    const number = (name: keyof MonitorOptions, byDefault: number, min: number, max: number) =>
      checkNumber(name, (options[name] as number | undefined) ?? byDefault, min, max)
    this.#checkIntervalMs = number('checkIntervalMs', 30_000, 10, dayMs)
    this.#sweepIntervalMs = number('sweepIntervalMs', 300_000, 0, dayMs)
    this.#sweepPageSize = number('sweepPageSize', 1_000, 1, 100_000)
    this.#healthThresholdMs = number('healthThresholdMs', healthThresholdMsDefault, 10, dayMs)
    this.#graceMs = number('graceMs', 300_000, 0, dayMs)
  }

  /** Begins to check and to sweep at its intervals. Calling it again changes nothing. */
  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#every(this.#checkIntervalMs, () => this.check())
    if (this.#sweepIntervalMs > 0) this.#every(this.#sweepIntervalMs, () => this.sweep())
  }

  /** Returns when nothing runs any more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const timer of this.#timers) clearTimeout(timer)
    await Promise.allSettled(this.#running)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** Looks once for expired leases and silent workers. */
  async check(): Promise<CheckReport> {
    const nowMs = await this.#now()
    const ids = new Set<string>()
    for await (const { key } of this.#store.list(leasesPrefix)) {
      const path = key.slice(leasesPrefix.length + 1)
      const id = idOfPlace(path)
      const isDue = id !== null && path.slice(2, 12) <= bucketOf(nowMs)
      if (isDue && !this.#hopeless.isHeld(id, performance.now())) ids.add(id)
    }
    const outcomes = await pooled([...ids], (id) => this.#expire(id, nowMs))
    const expired = outcomes.filter((id) => id !== null)
    if (expired.length > 0) this.#onExpired(expired)
    return { expired, stale: await this.#silentWorkers(nowMs) }
  }

  /** Goes on with putting the indexes right: once through all of it where that is little, else a part of it. */
  async sweep(): Promise<SweepReport> {
    const nowMs = await this.#now()
    let [missing, stale, isThrough] = [0, 0, false]
    for (let part = 0; part < partsCount; part++) {
      const report = await this.#repository.tasks.repairStep({
        place: this.#place,
        limit: this.#sweepPageSize,
        isDue: (mark, value) =>
          value === null
            ? this.#isOldOrphan(mark, nowMs)
            : nowMs - msOf(value.task.updated_at) >= this.#graceMs,
      })
      const isFull = report.next !== null && report.next.part === (this.#place?.part ?? 0)
      this.#place = report.next
      isThrough ||= report.next === null
      missing += report.missing
      stale += report.stale
      for (const id of report.corrupt)
        this.#aside.tell(id, `The task ${id} is corrupt; it is left alone.`)
      if (isFull) break
    }
    this.metrics.count('index_entries_mended', '', missing)
    this.metrics.count('index_entries_swept', '', stale)
    const purged = await this.#purge(nowMs)
    return { missing, stale, purged, isThrough }
  }

  /**
   * Takes away what removed entries have left, so that lists need not pass over it. Shard by shard, for that may be much
   * and a shutdown waits for it. Of what is ready only old minutes: later ones hold the tasks that are delayed.
   */
  async #purge(nowMs: number): Promise<number> {
    const { purge } = this.#store
    if (!purge || nowMs - this.#purgedMs < purgeMsMin) return 0
    this.#purgedMs = nowMs
    let count = 0
    for (const shard of shards) {
      if (this.#isStopped) break
      const before = firstAfter(readyPrefix, shard, nowMs)
      const options = { olderThanMs: this.#graceMs, spares: this.#isEntry }
      count += await purge(`${readyPrefix}/${shard}`, { ...options, before })
      count += await purge(`${leasesPrefix}/${shard}`, options)
    }
    if (this.#isStopped) return count
    count += await purge(straysPrefix, { olderThanMs: this.#graceMs })
    // A registration is overwritten with each heartbeat, and what was there before is of no use.
    const old = { olderThanMs: this.#graceMs, superseded: true }
    return this.#isStopped ? count : count + (await purge(workersPrefix, old))
  }

  /** Whether an empty object, as other tools write them, is the entry of a pending task; it is written as ours then. */
  readonly #isEntry = async (key: string): Promise<boolean> => {
    const id = idOfPlace(key.slice(readyPrefix.length + 1))
    const document = id === null ? null : await this.#repository.tasks.get(id).catch(nullIfCorrupt)
    if (id === null || document === null) return false
    const marks = [...byReadiness.marks(id, document.value)].filter(({ name }) => name === key)
    for (const mark of marks) await this.#store.commit(await mark.put(this.#store, true))
    return marks.length > 0
  }

  /** The id, where its lease had expired. */
  async #expire(id: string, nowMs: number): Promise<string | null> {
    try {
      const command = { nowMs, random: Math.random() }
      const { before, after } = await this.#repository.change(id, ['expire', command])
      if (after === before) return null
      this.metrics.count('leases_expired', after.task_type)
      this.#onWarning(`Task ${id} is ${after.status}: ${after.last_error}`)
      return id
    } catch (error) {
      if (error instanceof TaskNotFoundError || isOfTheMoment(error)) return null
      if (!isOfOneDocument(error)) throw error
      this.#aside.tellError(id, `Task ${id} can't be taken back from its worker`, error)
      this.#hopeless.hold(id, performance.now() + hopelessMs)
      return null
    }
  }

  async #silentWorkers(nowMs: number): Promise<string[]> {
    for (const id of await this.#registry.forget(nowMs))
      this.#onWarning(`Worker ${id} has been silent for 7 days; it is no longer registered.`)
    const workers = await this.#registry.list(nowMs, this.#healthThresholdMs)
    const silent = workers.filter(({ status }) => status === 'stale')
    for (const { worker_id, last_heartbeat } of silent)
      if (!this.#silent.has(worker_id))
        this.#onWarning(`Worker ${worker_id} has been silent since ${last_heartbeat}.`)
    this.#silent.clear()
    for (const { worker_id } of silent) this.#silent.add(worker_id)
    return silent.map(({ worker_id }) => worker_id)
  }

  /** Each state of an entry begins anew: a submission that takes long, or is made again, puts its entry again. */
  #isOldOrphan({ name, revision }: Mark, nowMs: number): boolean {
    return this.#orphans.isDue(`${name} ${revision}`, nowMs, this.#graceMs)
  }

  /** Runs something again and again; a failure is told of, and does not end it. */
  #every(ms: number, run: () => Promise<unknown>): void {
    if (this.#isStopped) return
    const spread = ms * (1 + jitter * (2 * Math.random() - 1))
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      const running = run()
        .catch((error: unknown) => this.#tell(error))
        .finally(() => {
          this.#running.delete(running)
          this.#every(ms, run)
        })
      this.#running.add(running)
    }, spread)
    this.#timers.add(timer)
  }

  #tell(error: unknown): void {
    if (error instanceof StoreError && error.code === 'closed') {
      this.#isStopped = true
      return
    }
    const why = error instanceof Error ? error.message : String(error)
    this.#onWarning(`The monitor failed, and goes on: ${why}`)
  }
}

function nullIfCorrupt(error: unknown): null {
  if (error instanceof CorruptDocumentError) return null
  throw error
}

/** Others write this very task, or the answer was lost: the next check sees what became of it, and the rest goes on. */
const isOfTheMoment = (error: unknown): boolean =>
  error instanceof StoreError && (error.reason === 'contended' || error.code === 'unknown_outcome')
