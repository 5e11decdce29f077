import { pooled } from '../../collection/index.ts'
import type { Head, Store } from '../../store/internal.ts'
import { shards as allShards, bucketOf, straysPrefix, taskPath, tasksPrefix } from '../keys.ts'
import type { Task } from '../task.ts'
import { msOf } from '../time.ts'
import { Blanks } from './blanks.ts'
import { Memory } from './memory.ts'
import type { Settings } from './options.ts'
import { type Look, PageLook } from './page-look.ts'
import { type Candidate, Sieve } from './sieve.ts'
import { WideLook } from './wide-look.ts'

/** After a look at something else the index comes at once, but never without a turn for others. */
const asideMs = 10
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
/** When tasks whose ids tell another type are looked for: first, and then once in so long. */
const straysFirstMs = 20_000
const straysMs = 5 * 60_000
const idsRemembered = 20_000
const candidatesMax = 1_000

/**
 * Finds tasks that can be claimed: by the index, by what a watch names, and, where that gives nothing, seldom by the
 * tasks themselves. What is of another type is passed over by its id, so it costs no more than its place in a list.
 */
export class Finder {
  readonly sieve: Sieve
  /** Tasks that the index has shown a while ago: they are not without an entry. */
  readonly #shown = new Memory(idsRemembered)
  readonly #store: Store
  readonly #settings: Settings
  readonly #blanks: Blanks
  readonly #look: Look
  readonly #logCursors = new Map<string, string>()
  /** What is taken first stands last. */
  #found: Candidate[] = []
  /** Keys of the index that a watch has named, where a look would take long to come to them. */
  readonly #named = new Set<string>()
  /** Whether the last candidates were named: a look beside their claims would only hold these up. */
  #isNamed = false
  /** Whether the last look was not at the index, but at what is looked at seldom. */
  #wasAside = false
  /** Whether the index was not looked at since the last look at empty entries. */
  #isIndexNext = false
  #looking: Promise<void> | null = null
  /** How a look has failed for which nobody waited. */
  #failure: { readonly error: unknown } | null = null
  #onOffer: () => void = () => {}
  #logAt = 0
  #nextHybridAt = 0
  #nextStraysAt = performance.now() + straysFirstMs
  /** Since when the index has had nothing, by `performance.now()`; infinite where it has something. */
  #emptySince = Number.POSITIVE_INFINITY
  /** Where the tasks lie that are ours: in one row, or shard by shard. */
  readonly #logs: readonly string[]

  constructor(store: Store, settings: Settings, isInHand: (id: string) => boolean) {
    this.#store = store
    this.#settings = settings
    this.sieve = new Sieve(settings, isInHand)
    this.#look =
      store.limits.listCost === 'prefix'
        ? new WideLook(store, settings, this.sieve)
        : new PageLook(store, settings, this.sieve)
    this.#blanks = new Blanks(store, settings, (id) => this.sieve.isForeign(id))
    const { shards } = settings
    this.#logs =
      shards.length === allShards.length
        ? [tasksPrefix]
        : shards.map((shard) => `${tasksPrefix}/${shard}`)
  }

  /** What is looked at seldom takes the time of no look at the index: new tasks are there. */
  pauseMs(idleMs: number): number {
    return this.#wasAside ? asideMs : this.#look.pauseMs(idleMs)
  }

  get isExhausted(): boolean {
    return this.#isNamed || this.#look.isExhausted
  }

  /** Candidates, as many as are wanted where there are so many. */
  async next(wanted: number, nowMs: number): Promise<Candidate[]> {
    await this.#gather(wanted, nowMs)
    const now = performance.now()
    if (this.#found.length > 0) this.#emptySince = Number.POSITIVE_INFINITY
    else this.#emptySince = Math.min(this.#emptySince, now)
    const isHybrid = this.#settings.indexMode === 'hybrid'
    const isLogCostly = isHybrid && this.#store.limits.listCost === 'prefix'
    const candidates: Candidate[] = []
    while (candidates.length < wanted && this.#found.length > 0) {
      const candidate = this.#found.pop() as Candidate
      if (!this.sieve.isWanted(candidate.id)) continue
      candidates.push(candidate)
      if (isLogCostly && candidate.source === 'index') this.#shown.hold(candidate.id, now + shownMs)
    }
    return candidates
  }

  /** One look at most: an idle worker makes one request at a time. */
  async #gather(wanted: number, nowMs: number): Promise<void> {
    const isIndexed = this.#settings.indexMode !== 'log-scan'
    const due = this.sieve.agenda.due(bucketOf(nowMs))
    if (due.length > 0) this.#look.noteDue()
    for (const id of due) this.#found.push({ id, entry: null, source: 'watch' })
    const isNamed = this.#named.size > 0 && (await this.#lookAtNamed(nowMs))
    this.#isNamed = isNamed
    const isCostly = this.#store.limits.listCost === 'prefix'
    const isEnough = isNamed || this.#found.length >= (isCostly ? 1 : wanted)
    this.#wasAside = await this.#lookAside(isIndexed, nowMs)
    if (this.#wasAside) return
    if (!isIndexed && this.#found.length === 0) await this.#scanLog(logPages)
    else if (isIndexed && !isEnough) await this.#lookOn(wanted - this.#found.length, nowMs)
  }

  /** Looks at what is looked at seldom, if something of that is due; says whether it did. */
  async #lookAside(isIndexed: boolean, nowMs: number): Promise<boolean> {
    if (performance.now() >= this.#nextStraysAt) await this.#lookForStrays()
    else if (isIndexed && this.#areBlanksDue()) await this.#lookAtBlanks(nowMs)
    else if (this.#isHybridDue()) await this.#scanSeldom()
    else return false
    return true
  }

  /** Looks, or goes on with a look; what a watch names meanwhile need not wait for its end. */
  async #lookOn(wanted: number, nowMs: number): Promise<void> {
    this.#isIndexNext = false
    this.#looking ??= this.#look
      .take(wanted, nowMs)
      .then(
        (found) => void this.#found.unshift(...found.reverse()),
        (error) => {
          this.#failure = { error }
        },
      )
      .finally(() => {
        this.#looking = null
      })
    const offered = new Promise<void>((resolve) => {
      this.#onOffer = resolve
    })
    await Promise.race([this.#looking, offered])
    const failure = this.#failure
    this.#failure = null
    if (failure) throw failure.error
  }

  /** Until no look is under way. */
  async settled(): Promise<void> {
    await this.#looking
  }

  /** A task is of another type, which its id did not tell. */
  noteForeign(id: string): void {
    this.sieve.noteForeign(id)
    this.#look.noteUntagged()
  }

  /** A task can be claimed from a time of `performance.now()` on, and no sooner. */
  postpone(id: string, time: number): void {
    this.sieve.memory.hold(id, time)
    if (this.#look.isCrowded) this.sieve.agenda.addAt(time, id)
  }

  /** A task that we had is pending again. */
  noteRetry({ id, available_at }: Task): void {
    if (this.#look.isCrowded) this.sieve.agenda.add(bucketOf(msOf(available_at)), id)
  }

  /** Something may have come since the last looks that nobody told of. */
  noteMissed(): void {
    this.#look.noteMissed()
  }

  /** An empty entry is that of a pending task. */
  noteBlank(): void {
    this.#blanks.noteFound()
  }

  /** What was found may not have been had: all of it is to be looked at again. */
  restart(): void {
    this.#look.restart()
  }

  /** A watch has named a key of the index; false where that is nothing to look at now. */
  offer(key: string, nowMs: number): boolean {
    const place = this.sieve.placeIn(key)
    if (place === null) return false
    const { id, bucket } = place
    if (bucket > bucketOf(nowMs)) {
      if (this.#look.isCrowded) this.sieve.agenda.add(bucket, id)
      return false
    }
    if (!this.sieve.isWanted(id)) return false
    if (this.#store.limits.listCost !== 'prefix') {
      if (this.#look.isCrowded && this.#named.size < candidatesMax) this.#named.add(key)
    } else if (this.#found.length < candidatesMax)
      this.#found.push({ id, entry: null, source: 'watch' })
    this.#onOffer()
    return true
  }

  /** Whether there is something to claim by what a watch has named: then that comes first. */
  async #lookAtNamed(nowMs: number): Promise<boolean> {
    const keys = [...this.#named]
    this.#named.clear()
    const heads: (Head | null)[] = await pooled(keys, (key) => this.#store.get(key))
    for (const head of heads) {
      const candidate = head && this.sieve.candidateOf(head, nowMs)
      if (candidate) this.#found.push(candidate)
    }
    return this.#found.length > 0
  }

  /** However many there are, the index is looked at in between. */
  #areBlanksDue(): boolean {
    const isFree = this.#found.length === 0 && !this.#isIndexNext
    return this.#blanks.isDue({ isIdle: this.#isIdle, isFree })
  }

  async #lookAtBlanks(nowMs: number): Promise<void> {
    this.#isIndexNext = true
    const ids = await this.#blanks.look(nowMs)
    this.#found.unshift(...ids.map((id) => ({ id, entry: null, source: 'blank' }) as const))
  }

  async #lookForStrays(): Promise<void> {
    this.#nextStraysAt = performance.now() + straysMs
    const strays = new Set<string>()
    for await (const { key } of this.#store.list(straysPrefix, { limit: idsRemembered })) {
      const id = key.slice(straysPrefix.length + 1)
      strays.add(id)
      if (this.#settings.shards.includes(id.charAt(0)))
        this.#found.unshift({ id, entry: null, source: 'log' })
    }
    this.sieve.strays = strays
  }

  /** Whether the index has had nothing for a while. */
  get #isIdle(): boolean {
    return this.#found.length === 0 && performance.now() >= this.#emptySince + emptyMs
  }

  #isHybridDue(): boolean {
    const isDue = performance.now() >= this.#nextHybridAt
    return this.#settings.indexMode === 'hybrid' && this.#isIdle && isDue
  }

  async #scanSeldom(): Promise<void> {
    const startedAt = performance.now()
    const pauseMs = Math.max(hybridMsMin, hybridMs / this.#logs.length)
    this.#nextHybridAt = startedAt + pauseMs
    await this.#scanLog(1)
    const tookMs = performance.now() - startedAt
    this.#nextHybridAt = startedAt + Math.max(pauseMs, tookMs / hybridShareMax)
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
    return (
      this.sieve.isWanted(id) &&
      !this.sieve.isForeign(id) &&
      !this.#shown.isHeld(id, now) &&
      !this.sieve.ended.isHeld(`${id} ${revision}`, now)
    )
  }
}
