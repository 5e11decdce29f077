import { compareKeys, compete, type Head, lost, type Store } from '../store/internal.ts'
import {
  type Claim,
  isLoss,
  isNone,
  lossOf,
  type OtherAttempt,
  type Run,
  taken,
  unreadable,
} from './attempt.ts'
import { idOfPlace, statusPrefix } from './keys.ts'
import { Unreadable } from './unreadable.ts'

const prefix = `${statusPrefix}/pending`

/** How many entries a look at the index takes: few where that is cheaper, many where it costs the same. */
const pageEntriesMin = 32
const hintsMax = 1_000
/** So long such a look may serve, and so many times as long as it took. */
const hintsMsMin = 200
const hintsOfDuration = 20
/**
 * How many entries may turn out to be taken before another look is cheaper: some, and a share of what it gave. A miss
 * costs two reads: the task, and its entry, which may be a leftover to remove.
 */
const missesMin = 16
const missesOfEntries = 0.125

/** From how many of the oldest a worker chooses at most, when others take them away under its hands. */
const spreadMax = 1_024
const spreadAfterSuccess = 0.95

/** How many claims of this process are remembered, to pass them over in looks that are older. */
const claimsKept = 4_096

/** What a look at the index gave. */
interface Page {
  /** Without those that whoever looked can't read. */
  readonly heads: readonly Head[]
  /** Where there was more, the last key that was looked at. */
  readonly cutAt: string | null
  /** Which claims it can't know of: those with a later number. */
  readonly number: number
}

/** A page that serves for a while. Who claims takes from it; what has become pending is put into it. */
interface Hints extends Page {
  readonly heads: Head[]
  /** Those who can read the same look at the same page. */
  readonly reader: Unreadable
  readonly until: number
  /** How many more entries may turn out to be taken. */
  missesLeft: number
}

/** A look that is under way. */
interface Look {
  readonly reader: Unreadable
  readonly page: Promise<Page>
}

const shelves = new WeakMap<Store, Pending>()
/** Stands for all who read bytes, and so can read any. */
const bytes = {}

/**
 * Finds what is pending, oldest first, by the index, for all who claim through one opened store. The index only
 * hints: whether a task is pending shows when it is claimed.
 *
 * Workers of one process never try the same task at once. Those of several processes do: whoever loses chooses
 * from among twice as many of the oldest the next time, and from a few less after each success. So one worker alone
 * gets the oldest task, and many do not fight for it.
 */
export class Pending {
  readonly #store: Store
  readonly #inHand = new Map<string, OtherAttempt>()
  /** By the schema of payloads: what managers with the same one can't read is the same. */
  readonly #readers = new WeakMap<object, Unreadable>()
  readonly #claims = new Map<string, number>()
  #claimCount = 0
  #spread = 1
  /** Null after a loss. */
  #lastClaimed: string | null = null
  #hints: Hints | null = null
  #look: Look | null = null
  #nextLook: Look | null = null

  constructor(store: Store) {
    this.#store = store
  }

  static of(store: Store): Pending {
    const pending = shelves.get(store) ?? new Pending(store)
    shelves.set(store, pending)
    return pending
  }

  /** What all managers with this schema of payloads can't read. */
  readerOf(schema: object = bytes): Unreadable {
    const reader = this.#readers.get(schema) ?? new Unreadable()
    this.#readers.set(schema, reader)
    return reader
  }

  /** Claims the oldest that can be had; null only where nothing is pending that the reader can read. */
  claimNext<T>(claim: Claim<T>, reader: Unreadable, signal?: AbortSignal): Promise<T | null> {
    const run: Run<T> = { claim, reader, passed: new Map(), signal }
    return compete('the pending tasks', (nth) => this.#pass(run, nth === 1), { signal })
  }

  /** A task has become pending: whoever keeps hints need not look for it. */
  offer(place: string): void {
    const key = `${prefix}/${place}`
    this.#claims.delete(key)
    if (!this.#hints) return
    const { heads, cutAt } = this.#hints
    const at = heads.findIndex((head) => compareKeys(head.key, key) >= 0)
    if (at === -1 ? cutAt !== null : heads[at]?.key === key) return
    heads.splice(at === -1 ? heads.length : at, 0, { key, revision: '' })
  }

  /** Once through all that is pending, or through the hints. It lost where others took anything meanwhile. */
  async #pass<T>(run: Run<T>, mayUseHints: boolean): Promise<T | null | typeof lost> {
    const { reader } = run
    const hints = mayUseHints ? await this.#freshHints(reader) : null
    let hasLost = hints !== null
    const inOtherHands: Promise<boolean>[] = []
    for await (const page of hints ? [hints] : this.#pages(reader)) {
      const left = page.heads.filter((head) => !reader.has(head))
      while (left.length > 0) {
        run.signal?.throwIfAborted()
        const [head] = left.splice(this.#choose(left), 1) as [Head]
        const other = this.#inHand.get(head.key)
        if (other) inOtherHands.push(lossOf(other, head, run))
        else if (this.#isClaimed(head, page)) hasLost = true
        else {
          const outcome = await this.#try(head, run)
          if (!isNone(outcome)) return outcome
          if (isLoss(outcome, head, run)) hasLost = true
          if (hints && this.#isUsedUp(hints)) return lost
        }
      }
    }
    // What others of this process have in hand they may yet leave.
    const losses = await Promise.all(inOtherHands)
    return hasLost || losses.includes(true) ? lost : null
  }

  /**
   * Which of these to try: the first, or where others want it too, any of the first few. From there on one after
   * another, as long as that goes well: so each process comes to have a stretch of its own.
   */
  #choose(heads: readonly Head[]): number {
    const among = Math.min(this.#spread, heads.length)
    if (among === 1) return 0
    const last = this.#lastClaimed
    const following = last === null ? -1 : heads.findIndex(({ key }) => compareKeys(key, last) > 0)
    return following >= 0 && following < among ? following : Math.floor(Math.random() * among)
  }

  /** Whether a worker of this process has got it since the page was looked up. */
  #isClaimed({ key }: Head, { number }: Page): boolean {
    return (this.#claims.get(key) ?? 0) > number
  }

  async #try<T>(head: Head, { claim, reader }: Run<T>): ReturnType<Claim<T>> {
    const { key } = head
    const place = key.slice(prefix.length + 1)
    const id = idOfPlace(place)
    const trying = id === null ? Promise.resolve(unreadable) : claim(id, place, head)
    // Whoever waits for it need not know how it failed.
    const ended = trying.catch(() => null).finally(() => this.#inHand.delete(key))
    this.#inHand.set(key, { reader, outcome: ended })
    const outcome = await trying
    if (outcome === unreadable) reader.note(head)
    else if (!isNone(outcome)) this.#remember(key)
    const isLost = outcome === taken
    const spread = this.#spread * (isLost ? 2 : spreadAfterSuccess)
    this.#spread = Math.min(spreadMax, Math.max(1, Math.floor(spread)))
    this.#lastClaimed = isLost ? null : key
    const at = this.#hints?.heads.findIndex((hint) => hint.key === key) ?? -1
    if (at !== -1) this.#hints?.heads.splice(at, 1)
    return outcome
  }

  #remember(key: string): void {
    // Anew, so that the oldest come first.
    this.#claims.delete(key)
    this.#claims.set(key, ++this.#claimCount)
    const [oldest] = this.#claims.keys()
    if (this.#claims.size > claimsKept) this.#claims.delete(oldest as string)
  }

  /** Each twice as long as the one before, for so far there was nothing to claim. */
  async *#pages(reader: Unreadable): AsyncGenerator<Page> {
    let page = await this.#firstPage(reader)
    for (let nth = 1; ; nth++) {
      yield page
      if (page.cutAt === null) return
      page = await this.#list(reader, { after: page.cutAt, times: 2 ** nth })
    }
  }

  /** Where looks are costly, whoever comes while one is under way waits for the next, and all share that. */
  #firstPage(reader: Unreadable): Promise<Page> {
    if (!this.#isCostly) return this.#list(reader)
    const look = this.#look
    if (!look) return this.#lookAnew(reader)
    if (look.reader !== reader) return this.#list(reader)
    if (this.#nextLook?.reader === reader) return this.#nextLook.page
    const page = look.page
      .catch(() => {})
      .then(() => {
        if (this.#nextLook?.page === page) this.#nextLook = null
        return this.#lookAnew(reader)
      })
    this.#nextLook = { reader, page }
    return page
  }

  #lookAnew(reader: Unreadable): Promise<Page> {
    const startedAt = performance.now()
    const page = this.#list(reader)
      .then((found) => {
        const now = performance.now()
        const until = now + Math.max(hintsMsMin, (now - startedAt) * hintsOfDuration)
        const missesLeft = missesMin + found.heads.length * missesOfEntries
        this.#hints = { ...found, heads: [...found.heads], reader, until, missesLeft }
        return found
      })
      .finally(() => {
        if (this.#look?.page === page) this.#look = null
      })
    this.#look = { reader, page }
    return page
  }

  async #list(
    reader: Unreadable,
    { after, times = 1 }: { after?: string; times?: number } = {},
  ): Promise<Page> {
    const number = this.#claimCount
    // Enough to choose from beside what is in hand.
    const wanted = Math.min(hintsMax, times * (pageEntriesMin + this.#spread + this.#inHand.size))
    const limit = this.#isCostly ? undefined : wanted
    const heads: Head[] = []
    let seen = 0
    for await (const head of this.#store.list(prefix, { after, limit })) {
      seen++
      if (!reader.has(head)) heads.push(head)
      // Where all of it is paid for anyway, those that can't be read take no place.
      if (seen === limit || heads.length === hintsMax) return { heads, cutAt: head.key, number }
    }
    return { heads, cutAt: null, number }
  }

  /** What is known without a look of our own. */
  async #freshHints(reader: Unreadable): Promise<Hints | null> {
    await this.#look?.page.catch(() => {})
    const hints = this.#hints
    if (hints && performance.now() >= hints.until) this.#hints = null
    return this.#hints?.reader !== reader || this.#hints.heads.length === 0 ? null : this.#hints
  }

  /** Counts an entry that was taken; says whether it is time for another look. */
  #isUsedUp(hints: Hints): boolean {
    if (--hints.missesLeft >= 0) return false
    if (this.#hints === hints) this.#hints = null
    return true
  }

  get #isCostly(): boolean {
    return this.#store.limits.listCost === 'prefix'
  }
}
