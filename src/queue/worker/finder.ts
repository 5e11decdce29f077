import { pooled } from '../../collection/index.ts'
import type { Head, Store } from '../../store/internal.ts'
import { bucketOf } from '../keys.ts'
import { isCostlyToWatch } from '../signal.ts'
import type { Task } from '../task.ts'
import { msOf } from '../time.ts'
import { tagIn } from '../type-tag.ts'
import { Blanks } from './blanks.ts'
import { LogScan } from './log-scan.ts'
import { Memory } from './memory.ts'
import { NarrowLook } from './narrow-look.ts'
import type { Settings } from './options.ts'
import { type Look, PageLook, straysSeldomMs } from './page-look.ts'
import { type Candidate, Sieve } from './sieve.ts'
import { Strays } from './strays.ts'
import { WideLook } from './wide-look.ts'

/** After a look at something else the index comes at once, but never without a turn for others. */
const asideMs = 10
/** For how long the index must have had nothing: who has just run dry has other things to do. */
const emptyMs = 1_000
/** How long a task that the index has shown is not looked for in the log, where a look costs a request. */
const shownMs = 60_000
/** When the index by type is looked at first, if nothing hurries. */
const straysFirstMs = 20_000
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
  readonly #log: LogScan
  readonly #strays: Strays
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
  #straysAt = performance.now() + straysFirstMs - straysSeldomMs
  /** Since when the index has had nothing, by `performance.now()`; infinite where it has something. */
  #emptySince = Number.POSITIVE_INFINITY

  constructor(store: Store, settings: Settings, isInHand: (id: string) => boolean) {
    this.#store = store
    this.#settings = settings
    this.sieve = new Sieve(settings, isInHand)
    this.#strays = new Strays(store, settings, this.sieve)
    if (isCostlyToWatch(store)) this.#look = new WideLook(store, settings, this.sieve, this.#strays)
    else if (store.limits.listCost === 'prefix')
      this.#look = new NarrowLook(store, settings, this.sieve)
    else this.#look = new PageLook(store, settings, this.sieve)
    this.#blanks = new Blanks(store, settings, (id) => this.sieve.isForeign(id))
    this.#log = new LogScan(store, settings, (id, revision) => this.#isUnseen(id, revision))
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
    if (this.#looking) return isEnough ? undefined : this.#lookOn()
    const aside = this.#aside(isIndexed, nowMs)
    this.#wasAside = aside !== null
    if (aside) await this.#lookOn(aside)
    else if (!isIndexed && this.#found.length === 0)
      await this.#lookOn(async () => this.#logged(await this.#log.all()))
    else if (isIndexed && !isEnough)
      await this.#lookOn(() => this.#lookAtIndex(wanted - this.#found.length, nowMs))
  }

  /** A look at what is looked at seldom, if something of that is due. */
  #aside(isIndexed: boolean, nowMs: number): (() => Promise<void>) | null {
    if (performance.now() >= this.#straysAt + this.#look.straysMs)
      return () => this.#lookForStrays(nowMs)
    if (isIndexed && this.#areBlanksDue()) return () => this.#lookAtBlanks(nowMs)
    return this.#isHybridDue() ? async () => this.#logged(await this.#log.seldom()) : null
  }

  /** Looks, or goes on with a look; what a watch names meanwhile need not wait for its end. */
  async #lookOn(look: () => Promise<void> = async () => {}): Promise<void> {
    this.#looking ??= look()
      .catch((error) => {
        this.#failure = { error }
      })
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

  async #lookAtIndex(wanted: number, nowMs: number): Promise<void> {
    this.#isIndexNext = false
    const found = await this.#look.take(wanted, nowMs)
    this.#found.unshift(...found.reverse())
  }

  /** Until no look is under way. */
  async settled(): Promise<void> {
    await this.#looking
  }

  /** A task is of another type, which its id did not tell. */
  noteForeign(id: string): void {
    this.sieve.noteForeign(id)
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

  noteHeard(nowMs: number): void {
    this.#look.noteHeard(nowMs)
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
    const isCostly = this.#store.limits.listCost === 'prefix'
    if (isCostly && this.#found.length + this.#named.size >= candidatesMax) this.#look.noteMissed()
    // The entry tells the type where the id does not.
    else if (isCostly && tagIn(id) !== null) this.#found.push({ id, entry: null, source: 'watch' })
    else if ((isCostly || this.#look.isCrowded) && this.#named.size < candidatesMax)
      this.#named.add(key)
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

  async #lookForStrays(nowMs: number): Promise<void> {
    this.#straysAt = performance.now()
    const found = await this.#strays.look(nowMs)
    this.#found.push(...found.reverse())
  }

  /** Whether the index has had nothing for a while. */
  get #isIdle(): boolean {
    return this.#found.length === 0 && performance.now() >= this.#emptySince + emptyMs
  }

  #isHybridDue(): boolean {
    return this.#settings.indexMode === 'hybrid' && this.#isIdle && this.#log.isDue
  }

  #logged(ids: readonly string[]): void {
    for (const id of ids) this.#found.push({ id, entry: null, source: 'log' })
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
