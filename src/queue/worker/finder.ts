import { decodeText } from '../../collection/index.ts'
import type { Head, Store } from '../../store/index.ts'
import {
  shards as allShards,
  bucketOf,
  firstAfter,
  idOfPlace,
  readyPrefix,
  taskPath,
  tasksPrefix,
} from '../keys.ts'
import { Memory } from './memory.ts'
import type { Settings } from './options.ts'

/** A task that can perhaps be claimed. */
export interface Candidate {
  readonly id: string
  /** The entry of the index by which it was found, where its state is known. */
  readonly entry: Head | null
  readonly source: 'index' | 'watch' | 'log'
}

/** How many entries a look takes where a list costs all that lies below its prefix. */
const wideEntriesMax = 1_000
/** After a look that was cut, only one shard at a time is looked at for so long. */
const narrowMs = 60_000
/** How seldom the log is scanned when the index has nothing, and no more often where that takes several scans. */
const hybridMs = 30_000
const hybridMsMin = 10_000
/** For how long the index must have had nothing: who has just run dry has other things to do. */
const emptyMs = 1_000
/** How long a task that the index has shown is not looked for in the log, where a look costs a request. */
const shownMs = 60_000
/** What a scan costs is at most such a part of the time. */
const hybridShareMax = 0.01
/** How many pages a scan of the log has where it is all that a worker looks at. */
const logPages = 16
/** How long after a task of a type that is not ours was met, types are looked at in the index. */
const foreignMs = 60_000
const idsRemembered = 20_000
const candidatesMax = 1_000

/**
 * Finds tasks that can be claimed. The index is read in pages, shard after shard, each from where the last look in
 * it ended; so whatever lies in front, everything gets its turn. Where a list costs all that lies below its prefix, one
 * look at all shards serves for many claims.
 */
export class Finder {
  /** Ids not to be tried before a time: of other types, not due yet, corrupt. */
  readonly memory = new Memory(idsRemembered)
  /** Entries of tasks that are not pending, in the state in which they were seen. */
  readonly stale = new Memory(idsRemembered)
  /** Tasks that a scan of the log need not look at again in the state in which they were seen. */
  readonly ended = new Memory(idsRemembered)
  /** Tasks that the index has shown a while ago: they are not without an entry. */
  readonly #shown = new Memory(idsRemembered)
  readonly #store: Store
  readonly #settings: Settings
  readonly #isInHand: (id: string) => boolean
  readonly #cursors = new Map<string, string>()
  readonly #logCursors = new Map<string, string>()
  #found: Candidate[] = []
  #shardAt: number
  #logAt = 0
  #narrowUntil = 0
  #nextHybridAt = 0
  /** Since when the index has had nothing, by `performance.now()`; infinite where it has something. */
  #emptySince = Number.POSITIVE_INFINITY
  /** Where the tasks lie that are ours: in one row, or shard by shard. */
  readonly #logs: readonly string[]
  #isExhausted = false
  #foreignUntil = 0

  constructor(store: Store, settings: Settings, isInHand: (id: string) => boolean) {
    this.#store = store
    this.#settings = settings
    this.#isInHand = isInHand
    const { shards } = settings
    this.#logs =
      shards.length === allShards.length
        ? [tasksPrefix]
        : shards.map((shard) => `${tasksPrefix}/${shard}`)
    // Not all workers begin at the same one.
    this.#shardAt = Math.floor(Math.random() * settings.shards.length)
  }

  /** Whether only one shard at a time is looked at, so that a round takes several looks. */
  get isNarrow(): boolean {
    return this.#store.limits.listCost === 'prefix' && performance.now() < this.#narrowUntil
  }

  /** Whether the last look saw all that there was: what comes since is best looked for once that is claimed. */
  get isExhausted(): boolean {
    return this.#isExhausted
  }

  /** Candidates, as many as are wanted where there are so many. */
  async next(wanted: number, nowMs: number): Promise<Candidate[]> {
    const { indexMode } = this.#settings
    if (indexMode === 'log-scan' && this.#found.length === 0) await this.#scanLog(logPages)
    // Instead of a look at the index, not beside it: an idle worker makes one request at a time.
    else if (this.#isHybridDue()) await this.#scanSeldom()
    else if (indexMode !== 'log-scan' && this.#found.length < wanted)
      await this.#look(wanted, nowMs)
    const now = performance.now()
    if (this.#found.length > 0) this.#emptySince = Number.POSITIVE_INFINITY
    else this.#emptySince = Math.min(this.#emptySince, now)
    const isLogCostly = indexMode === 'hybrid' && this.#store.limits.listCost === 'prefix'
    const candidates: Candidate[] = []
    while (candidates.length < wanted && this.#found.length > 0) {
      const candidate = this.#found.pop() as Candidate
      if (this.#isInHand(candidate.id) || this.memory.isHeld(candidate.id, now)) continue
      candidates.push(candidate)
      if (isLogCostly && candidate.source === 'index') this.#shown.hold(candidate.id, now + shownMs)
    }
    return candidates
  }

  /** There are tasks that are not for us, to be passed over by what the index says of them. */
  noteForeign(): void {
    this.#foreignUntil = performance.now() + foreignMs
  }

  /** A watch has named a key of the index. */
  offer(key: string, nowMs: number): void {
    const path = key.slice(readyPrefix.length + 1)
    const id = idOfPlace(path)
    if (id === null || !this.#settings.shards.includes(path.charAt(0))) return
    if (path.slice(2, 12) > bucketOf(nowMs) || this.#isInHand(id)) return
    if (this.#found.length < candidatesMax) this.#found.push({ id, entry: null, source: 'watch' })
  }

  #isHybridDue(): boolean {
    const now = performance.now()
    const isNothingElse = this.#found.length === 0 && now >= this.#emptySince + emptyMs
    return this.#settings.indexMode === 'hybrid' && isNothingElse && now >= this.#nextHybridAt
  }

  async #scanSeldom(): Promise<void> {
    const startedAt = performance.now()
    const pauseMs = Math.max(hybridMsMin, hybridMs / this.#logs.length)
    this.#nextHybridAt = startedAt + pauseMs
    await this.#scanLog(1)
    const tookMs = performance.now() - startedAt
    this.#nextHybridAt = startedAt + Math.max(pauseMs, tookMs / hybridShareMax)
  }

  async #look(wanted: number, nowMs: number): Promise<void> {
    const isCostly = this.#store.limits.listCost === 'prefix'
    if (isCostly && this.#found.length > 0) return
    if (isCostly && !this.isNarrow) await this.#lookWide(nowMs)
    else await this.#lookNarrow(isCostly ? 1 : wanted, isCostly, nowMs)
  }

  /** All shards at once. */
  async #lookWide(nowMs: number): Promise<void> {
    const { shards } = this.#settings
    const prefix = shards.length === 1 ? `${readyPrefix}/${shards[0]}` : readyPrefix
    let count = 0
    const page: Candidate[] = []
    for await (const head of this.#store.list(prefix, { limit: wideEntriesMax })) {
      count++
      const candidate = this.#candidateOf(head, nowMs)
      if (candidate) page.push(candidate)
    }
    if (count === wideEntriesMax) this.#narrowUntil = performance.now() + narrowMs
    // From somewhere in the midst, for other workers have the same page. What is taken first stands last.
    const at = Math.floor(Math.random() * page.length)
    this.#found.unshift(...[...page.slice(at), ...page.slice(0, at)].reverse())
  }

  /** Shard by shard, until there is enough or each had its turn. */
  async #lookNarrow(wanted: number, isCostly: boolean, nowMs: number): Promise<void> {
    const { shards } = this.#settings
    for (let turn = 0; turn < shards.length && this.#found.length < wanted; turn++) {
      const shard = shards[this.#shardAt++ % shards.length] as string
      this.#found.unshift(...(await this.#page(shard, isCostly, nowMs)).reverse())
    }
    this.#isExhausted = !isCostly && this.#found.length < wanted && this.#cursors.size === 0
  }

  async #page(shard: string, isCostly: boolean, nowMs: number): Promise<Candidate[]> {
    const limit = isCostly ? wideEntriesMax : this.#settings.readyPageSize
    const before = firstAfter(readyPrefix, shard, nowMs)
    const cursor = this.#cursors.get(shard)
    const after = cursor !== undefined && cursor < before ? cursor : undefined
    const bounds = { after, before, limit }
    const candidates: Candidate[] = []
    let count = 0
    let last = ''
    // With values, which are types, where those are needed, cost no request, and can't be wrong.
    const isTyped = performance.now() < this.#foreignUntil
    const heads =
      isTyped && !isCostly && this.#store.limits.commitWritesMax > 1
        ? this.#store.scan(`${readyPrefix}/${shard}`, bounds)
        : this.#store.list(`${readyPrefix}/${shard}`, bounds)
    for await (const head of heads) {
      count++
      last = head.key
      const candidate = this.#candidateOf(head, nowMs)
      if (candidate) candidates.push(candidate)
    }
    if (count === limit) this.#cursors.set(shard, last)
    else this.#cursors.delete(shard)
    return candidates
  }

  #candidateOf(head: Head & { value?: Uint8Array }, nowMs: number): Candidate | null {
    const { key, revision, value } = head
    const path = key.slice(readyPrefix.length + 1)
    const id = idOfPlace(path)
    if (id === null || this.#isInHand(id)) return null
    if (path.slice(2, 12) > bucketOf(nowMs) || this.memory.isHeld(id, performance.now()))
      return null
    if (!this.#settings.shards.includes(path.charAt(0))) return null
    if (value && !this.#settings.handlers.has(decodeText(value))) {
      this.noteForeign()
      return null
    }
    if (!this.stale.isEmpty && this.stale.isHeld(`${key} ${revision}`, performance.now()))
      return null
    return { id, entry: { key, revision }, source: 'index' }
  }

  /** Pages of the tasks themselves, each from where the last one ended. */
  async #scanLog(pages: number): Promise<void> {
    const { logScanPageSize: limit } = this.#settings
    for (let page = 0; page < pages && this.#found.length === 0; page++) {
      const log = this.#logs[this.#logAt % this.#logs.length] as string
      const after = this.#logCursors.get(log)
      let count = 0
      for await (const { key, revision } of this.#store.list(log, { after, limit })) {
        count++
        this.#logCursors.set(log, key)
        const id = taskPath.idOf(key.slice(tasksPrefix.length + 1))
        if (id !== null && this.#isUnseen(id, revision))
          this.#found.push({ id, entry: null, source: 'log' })
      }
      if (count < limit) this.#logCursors.delete(log)
      if (count < limit || this.#logs.length > 1) this.#logAt++
      // All of it, and there is no other: once round is enough.
      if (count < limit && this.#logs.length === 1 && after === undefined) return
    }
  }

  #isUnseen(id: string, revision: string): boolean {
    const now = performance.now()
    return !(
      this.#isInHand(id) ||
      this.memory.isHeld(id, now) ||
      this.#shown.isHeld(id, now) ||
      this.ended.isHeld(`${id} ${revision}`, now)
    )
  }
}
