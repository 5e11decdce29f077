import { compareKeys, compete, type Head, lost, type Store } from '../store/index.ts'
import { idOfPlace, statusPrefix } from './keys.ts'

const prefix = `${statusPrefix}/pending`

/** How many entries a look at the index takes: few where that is cheaper, many where it costs the same. */
const pageEntriesMin = 32
const hintsMax = 1_000
/** So long such a look may serve, and so many times as long as it took. */
const hintsMsMin = 200
const hintsOfDuration = 20
/** How many entries may turn out to be taken before another look is cheaper: some, and a share of what it gave. */
const missesMin = 32
const missesOfEntries = 0.25

/** From how many of the oldest a worker chooses at most, when others take them away under its hands. */
const spreadMax = 1_024
const spreadAfterSuccess = 0.95

/** How many claims of this process are remembered, to pass them over in looks that are older. */
const claimsKept = 4_096

/** What an attempt at a task answers when it is not pending (any more), and when it can't be read. */
export const taken: unique symbol = Symbol('taken')
export const unreadable: unique symbol = Symbol('unreadable')

type Outcome<T> = T | typeof taken | typeof unreadable
type Claim<T> = (id: string) => Promise<Outcome<T>>

/** What a look at the index gave. */
interface Page {
  readonly heads: readonly Head[]
  /** Whether there was more. */
  readonly isCut: boolean
  /** Which claims it can't know of: those with a later number. */
  readonly number: number
}

/** A page that serves for a while. Who claims takes from it; what has become pending is put into it. */
interface Hints extends Page {
  readonly heads: Head[]
  readonly until: number
  /** How many more entries may turn out to be taken. */
  missesLeft: number
}

interface Run<T> {
  readonly claim: Claim<T>
  /** Entries whose task was not pending, in the state in which they were seen. */
  readonly passed: Map<string, string>
  readonly signal: AbortSignal | undefined
}

const shelves = new WeakMap<Store, Pending>()

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
  readonly #inHand = new Map<string, Promise<unknown>>()
  readonly #claims = new Map<string, number>()
  #claimCount = 0
  #spread = 1
  /** Null after a loss. */
  #lastClaimed: string | null = null
  #hints: Hints | null = null
  #look: Promise<Page> | null = null
  #nextLook: Promise<Page> | null = null

  constructor(store: Store) {
    this.#store = store
  }

  static of(store: Store): Pending {
    const pending = shelves.get(store) ?? new Pending(store)
    shelves.set(store, pending)
    return pending
  }

  /** Claims the oldest that can be had; null only where nothing is pending. */
  claimNext<T>(claim: Claim<T>, signal?: AbortSignal): Promise<T | null> {
    const run: Run<T> = { claim, passed: new Map(), signal }
    return compete('the pending tasks', (nth) => this.#pass(run, nth === 1), { signal })
  }

  /** A task has become pending: whoever keeps hints need not look for it. */
  offer(place: string): void {
    const key = `${prefix}/${place}`
    this.#claims.delete(key)
    if (!this.#hints) return
    const { heads, isCut } = this.#hints
    const at = heads.findIndex((head) => compareKeys(head.key, key) >= 0)
    if (at === -1 ? isCut : heads[at]?.key === key) return
    heads.splice(at === -1 ? heads.length : at, 0, { key, revision: '' })
  }

  /** Once through all that is pending, or through the hints. It lost where others took anything meanwhile. */
  async #pass<T>(run: Run<T>, mayUseHints: boolean): Promise<T | null | typeof lost> {
    const hints = mayUseHints ? await this.#freshHints() : null
    let hasLost = hints !== null
    const inOtherHands: Promise<boolean>[] = []
    for await (const page of hints ? [hints] : this.#pages()) {
      const left = [...page.heads]
      while (left.length > 0) {
        run.signal?.throwIfAborted()
        const [head] = left.splice(this.#choose(left), 1) as [Head]
        const other = this.#inHand.get(head.key)
        if (other) inOtherHands.push(other.then((outcome) => isLoss(outcome, head, run)))
        else if (this.#isClaimed(head, page)) hasLost = true
        else {
          const outcome = await this.#try(head, run.claim)
          if (outcome !== taken && outcome !== unreadable) return outcome
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

  async #try<T>({ key }: Head, claim: Claim<T>): ReturnType<Claim<T>> {
    const id = idOfPlace(key.slice(prefix.length + 1))
    if (id === null) return unreadable
    const trying = claim(id)
    // Whoever waits for it need not know how it failed.
    this.#inHand.set(
      key,
      trying.catch(() => null).finally(() => this.#inHand.delete(key)),
    )
    const outcome = await trying
    const isLost = outcome === taken
    if (!isLost && outcome !== unreadable) this.#remember(key)
    const spread = this.#spread * (isLost ? 2 : spreadAfterSuccess)
    this.#spread = Math.min(spreadMax, Math.max(1, Math.floor(spread)))
    this.#lastClaimed = isLost ? null : key
    const at = this.#hints?.heads.findIndex((head) => head.key === key) ?? -1
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

  async *#pages(): AsyncGenerator<Page> {
    let page = await this.#firstPage()
    for (;;) {
      yield page
      if (!page.isCut) return
      page = await this.#list(page.heads.at(-1)?.key)
    }
  }

  /** Where looks are costly, whoever comes while one is under way waits for the next, and all share that. */
  #firstPage(): Promise<Page> {
    if (!this.#isCostly) return this.#list()
    if (!this.#look) return this.#lookAnew()
    this.#nextLook ??= this.#look
      .catch(() => {})
      .then(() => {
        this.#nextLook = null
        return this.#lookAnew()
      })
    return this.#nextLook
  }

  #lookAnew(): Promise<Page> {
    const startedAt = performance.now()
    const look = this.#list()
      .then((page) => {
        const now = performance.now()
        const until = now + Math.max(hintsMsMin, (now - startedAt) * hintsOfDuration)
        const missesLeft = missesMin + page.heads.length * missesOfEntries
        this.#hints = { ...page, heads: [...page.heads], until, missesLeft }
        return page
      })
      .finally(() => {
        if (this.#look === look) this.#look = null
      })
    this.#look = look
    return look
  }

  async #list(after?: string): Promise<Page> {
    const number = this.#claimCount
    // Enough to choose from beside what is in hand.
    const wanted = pageEntriesMin + this.#spread + this.#inHand.size
    const limit = this.#isCostly ? hintsMax : wanted
    const heads: Head[] = []
    for await (const head of this.#store.list(prefix, { after, limit })) heads.push(head)
    return { heads, isCut: heads.length === limit, number }
  }

  /** What is known without a look of our own. */
  async #freshHints(): Promise<Hints | null> {
    await this.#look?.catch(() => {})
    const hints = this.#hints
    if (hints && performance.now() >= hints.until) this.#hints = null
    return this.#hints?.heads.length === 0 ? null : this.#hints
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

/**
 * Whether an entry that gave nothing is a sign of others. A crash may have left one too many: seen unchanged for the
 * second time it is none.
 */
function isLoss<T>(outcome: unknown, { key, revision }: Head, { passed }: Run<T>): boolean {
  if (outcome === unreadable) return false
  const isLeftover = outcome === taken && passed.get(key) === revision
  passed.set(key, revision)
  return !isLeftover
}
