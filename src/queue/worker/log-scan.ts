import type { Store } from '../../store/internal.ts'
import { shards as allShards } from '../fields.ts'
import { taskPath, tasksPrefix } from '../keys.ts'
import type { Settings } from './options.ts'

/** How seldom the log is scanned when the index has nothing, and no more often where that takes several scans. */
const hybridMs = 30_000
const hybridMsMin = 10_000
/** What a scan costs is at most such a part of the time. */
const shareMax = 0.01
/** How long until the next one for each task, where every list sends all that there are, and at most. */
const msATask = 500
const wholeMsMax = 6 * 60 * 60_000
/** How many pages a scan of the log has where it is all that a worker looks at. */
const logPages = 16
/** So many pages at once are taken from a list that sends all tasks. */
const wholePages = 10

/** Looks for tasks among all there are, for those that no index names: page by page, each from where the last one ended. */
export class LogScan {
  readonly #store: Store
  readonly #settings: Settings
  readonly #isUnseen: (id: string, revision: string) => boolean
  /** Where the tasks lie that are ours: in one row, or shard by shard. */
  readonly #logs: readonly string[]
  readonly #cursors = new Map<string, string>()
  readonly #isWhole: boolean
  #at = 0
  #nextAt = 0
  /** How many tasks the last list has sent at least, where it sends all. */
  #sent = 0

  constructor(
    store: Store,
    settings: Settings,
    isUnseen: (id: string, revision: string) => boolean,
  ) {
    this.#store = store
    this.#settings = settings
    this.#isUnseen = isUnseen
    const { watch, listCost } = store.limits
    this.#isWhole = watch === 'push' && listCost === 'prefix'
    const { shards } = settings
    this.#logs =
      shards.length === allShards.length
        ? [tasksPrefix]
        : shards.map((shard) => `${tasksPrefix}/${shard}`)
  }

  /** Whether it is time for a scan beside the index. */
  get isDue(): boolean {
    return performance.now() >= this.#nextAt
  }

  /** A page, beside the index. */
  async seldom(): Promise<string[]> {
    const startedAt = performance.now()
    const pauseMs = Math.max(hybridMsMin, hybridMs / this.#logs.length)
    this.#nextAt = startedAt + pauseMs
    const found = await this.#scan(1)
    const tookMs = performance.now() - startedAt
    const wholeMs = Math.min(wholeMsMax, this.#sent * msATask)
    this.#nextAt = startedAt + Math.max(pauseMs, tookMs / shareMax, wholeMs)
    return found
  }

  /** As far as something is found, in place of the index. */
  all(): Promise<string[]> {
    return this.#scan(logPages)
  }

  async #scan(pages: number): Promise<string[]> {
    const found: string[] = []
    for (let page = 0; page < pages && found.length === 0; page++) {
      const log = this.#logs[this.#at % this.#logs.length] as string
      const after = this.#cursors.get(log)
      const isThrough = this.#isWhole
        ? await this.#fill(log, after, found)
        : await this.#page(log, after, found)
      if (isThrough) this.#cursors.delete(log)
      if (isThrough || this.#logs.length > 1) this.#at++
      // All of it, and there is no other: once round is enough.
      if (isThrough && this.#logs.length === 1 && after === undefined) break
    }
    return found
  }

  /** Says whether it was the last page. */
  async #page(log: string, after: string | undefined, found: string[]): Promise<boolean> {
    const { logScanPageSize: limit } = this.#settings
    let count = 0
    for await (const { key, revision } of this.#store.list(log, { after, limit })) {
      count++
      this.#note(log, key, revision, found)
    }
    return count < limit
  }

  /** All tasks are sent, whatever the limit: so what others have to do is passed over at once. */
  async #fill(log: string, after: string | undefined, found: string[]): Promise<boolean> {
    const limit = wholePages * this.#settings.logScanPageSize
    this.#sent = 0
    let isThrough = true
    for await (const { key, revision } of this.#store.list(log)) {
      this.#sent++
      if (!isThrough || (after !== undefined && key <= after)) continue
      this.#note(log, key, revision, found)
      isThrough = found.length < limit
    }
    return isThrough
  }

  #note(log: string, key: string, revision: string, found: string[]): void {
    this.#cursors.set(log, key)
    const id = taskPath.idOf(key.slice(tasksPrefix.length + 1))
    if (id !== null && this.#isUnseen(id, revision)) found.push(id)
  }
}
