import {
  compete,
  create,
  type Entry,
  eventLoopTurn,
  lost,
  type Store,
  update,
  type Write,
} from '../store/internal.ts'
import type { Codec } from './codec.ts'
import { commitInOrder, fitsOneCommit, isUnknownOutcome, type Progress } from './commit.ts'
import { Doubts, partlyDone } from './doubts.ts'
import { Fold, type Projection } from './fold.ts'
import type { Logged, ReadOptions, Step, StoredEvent } from './logged.ts'
import { pooled } from './pooled.ts'
import { bytesOf, numberIn, segmentOf, seqOf } from './sequence.ts'

interface LogDefinition<E> {
  /** What it is called in messages, such as "the session 01JP…". */
  readonly noun: string
  /** Events lie below it, each under its sequence number as 16 hex digits. */
  readonly prefix: string
  /** The key of the number of the last event that the documents are known to contain: 8 bytes, big-endian. */
  readonly checkpoint: string
  readonly codec: Codec<E>
  /** What an event makes of the documents: a pure function, see {@link Projection}. */
  project(event: E, seq: number): Iterable<Projection>
  /** A document that may close the log, which `check` says by throwing. Where commits hold all, no event slips in after. */
  readonly gate?: { readonly key: string; check(bytes: Uint8Array | null): void }
}

/** How often to look whether the log goes on, beside writers who see to it that it does. */
const looksMax = 50

/**
 * An append-only log, and documents that are what its events say. Creating the event under the next number,
 * which must be absent, is the commit point: numbers have no gap, and none is given twice.
 *
 * Where the store has room for it, events, documents and checkpoint are one commit. Elsewhere the event comes
 * first, then the documents, then the checkpoint; whoever finds events beyond the checkpoint completes the
 * documents before reading them.
 */
export class Log<E> {
  readonly #store: Store
  readonly #definition: LogDefinition<E>

  constructor(store: Store, definition: LogDefinition<E>) {
    this.#store = store
    this.#definition = definition
  }

  /**
   * Appends what the steps say, all at once where the store has room for it. Elsewhere they are taken one by
   * one, each until it has nothing more to say: others' events may lie between, and a failure leaves what
   * was done until then, which is said.
   */
  async append(steps: readonly Step<E>[]): Promise<Logged<E>[]> {
    const together = await this.#appendTogether(steps)
    if (together !== null) return together
    const appended: Logged<E>[] = []
    try {
      for (const step of steps) while (await this.#appendOne(step, appended)) {}
    } catch (error) {
      throw appended.length > 0 ? partlyDone(appended.length, error) : error
    }
    return appended
  }

  /** Completes the documents where the log is ahead of them; answers with the number of the last event. */
  async complete(): Promise<number> {
    const { seq } = await this.#completed()
    return seq
  }

  /** The same; says whether it had to write anything, which others may do at the same time. */
  async mend(): Promise<boolean> {
    const progress = { isBegun: false }
    await this.#completed(progress)
    return progress.isBegun
  }

  /** Whether the documents are known to contain all events. */
  async isComplete(): Promise<boolean> {
    return (await this.#checkpoint()).isLast
  }

  async *read(given: ReadOptions = {}): AsyncGenerator<StoredEvent<E>> {
    const { after = 0, before, limit, reverse } = given
    const end = before === undefined ? undefined : this.#keyOf(before)
    const options = { after: this.#keyOf(after), before: end, limit, reverse }
    for await (const entry of this.#store.scan(this.#definition.prefix, options)) {
      const turn = eventLoopTurn()
      if (turn) await turn
      const stored = this.#storedEvent(entry)
      if (stored) yield stored
    }
  }

  /**
   * The events from one number to another, as far as they are there. Each is asked for by its key: on a store
   * that lists a whole prefix to find a part of it, that is cheaper in a long log.
   */
  async between(first: number, last: number): Promise<StoredEvent<E>[]> {
    const from = Math.max(1, first)
    const numbers = Array.from({ length: Math.max(0, last - from + 1) }, (_, at) => from + at)
    const entries = await pooled(numbers, (seq) => this.#store.get(this.#keyOf(seq)))
    return entries.flatMap((entry) => (entry && this.#storedEvent(entry)) ?? [])
  }

  /** Null where the store has no room for it; then at least no step refused. */
  #appendTogether(steps: readonly Step<E>[]): Promise<Logged<E>[] | null> {
    const doubts = new Doubts<Logged<E>[]>(this.#store)
    const attempt = async () => {
      const point = await this.#completed()
      const won = await doubts.won()
      if (won !== null) return won
      const events: E[] = []
      for (const step of steps) events.push(...(await step(point.seq + 1 + events.length, events)))
      if (events.length === 0) return doubts.sure([])
      if (this.#store.limits.commitWritesMax === 1) return null
      const logged = events.map((event, at) => ({ seq: point.seq + 1 + at, event }))
      const whole = await this.#wholeOf(logged, point)
      const keys = whole.map(({ key }) => key)
      if (!fitsOneCommit(this.#store, keys)) return null
      return (await this.#commit(whole, doubts, logged)) ? logged : lost
    }
    return doubts.settled(() => compete(this.#definition.noun, attempt))
  }

  /** Appends the next event of a step; true when it may have another. */
  async #appendOne(step: Step<E>, appended: Logged<E>[]): Promise<boolean> {
    const doubts = new Doubts<Appended<E>>(this.#store)
    const attempt = async (): Promise<Appended<E> | typeof lost> => {
      const { seq } = await this.#completed()
      const won = await doubts.won()
      if (won !== null) return won
      const [event, ...more] = await step(seq + 1, [])
      if (event === undefined) return doubts.sure({ logged: null, hasMore: false })
      const logged = { seq: seq + 1, event }
      const done = { logged, hasMore: more.length > 0 }
      return (await this.#commit([this.#creationOf(logged)], doubts, done)) ? done : lost
    }
    const { logged, hasMore } = await doubts.settled(() => compete(this.#definition.noun, attempt))
    if (logged === null) return false
    appended.push(logged)
    // The event is committed. If this fails, the next reader completes the documents.
    await this.#completed().catch(() => {})
    return hasMore
  }

  /** Events, documents and checkpoint, in an order in which each step is safe. */
  async #wholeOf(events: readonly Logged<E>[], point: Checkpoint): Promise<Write[]> {
    const { gate, project } = this.#definition
    const fold = new Fold(this.#store)
    for (const { event, seq } of events) fold.add(project(event, seq))
    if (gate) fold.hold(gate.key)
    await fold.read()
    gate?.check(fold.bytesOf(gate.key))
    const { seq } = events.at(-1) as Logged<E>
    return [
      ...events.map((logged) => this.#creationOf(logged)),
      ...fold.writes(),
      this.#advanceOf(point, seq),
    ]
  }

  /** Brings the documents to the end of the log. */
  #completed(progress: Progress = { isBegun: false }): Promise<Checkpoint> {
    // Who lost goes back to where they began: what they wrote meanwhile may be out of date by now.
    let from = Number.POSITIVE_INFINITY
    return compete(this.#definition.noun, async () => {
      const point = await this.#checkpoint()
      if (point.isLast && from >= point.seq) return point
      const start = Math.min(from, point.seq)
      const fold = new Fold(this.#store)
      const seq = await this.#foldOn(fold, start, point)
      if (seq === null) return lost
      const documents = fold.writes()
      const writes = [...documents, this.#advanceOf(point, seq)]
      const isNew = documents.length > 0 || !isSaid(point, seq)
      if (await commitInOrder(this.#store, writes, isNew ? progress : undefined))
        return this.#checkpoint()
      const keys = writes.map(({ key }) => key)
      if (!fitsOneCommit(this.#store, keys)) from = start
      return lost
    })
  }

  /** Folds all events after a number; answers with the last, or null where there is no end to them. */
  async #foldOn(fold: Fold, from: number, { entry }: Checkpoint): Promise<number | null> {
    let seq = from
    // The log is read once more after the documents: whatever those contain lies then before its end.
    for (let look = 0; look < looksMax; look++) {
      const before = seq
      for await (const stored of this.read({ after: seq })) {
        // A list is no snapshot: one that passes over a number has it the next time.
        if (stored.seq !== seq + 1) break
        if (stored.event !== null) fold.add(this.#definition.project(stored.event, stored.seq))
        seq = stored.seq
      }
      await fold.read()
      if (seq === before && look > 0) return seq
      // Another writer is ahead and keeps the documents complete. Following its events could go on forever.
      if (look > 0 && (await this.#hasMoved(entry))) return null
    }
    return null
  }

  /** Gets tell where the log goes no further, which is the rule. */
  async #checkpoint(): Promise<Checkpoint> {
    const entry = await this.#store.get(this.#definition.checkpoint)
    const seq = (entry && numberIn(entry.value)) ?? 0
    const [own, next] = await Promise.all([
      seq === 0 ? true : this.#store.get(this.#keyOf(seq)),
      this.#store.get(this.#keyOf(seq + 1)),
    ])
    // It is ahead of the log only where somebody tampered with either; then all is told anew.
    if (own === null) return { entry, seq: 0, isLast: false }
    return {
      entry,
      seq,
      isLast: next === null && (entry === null || numberIn(entry.value) !== null),
    }
  }

  async #hasMoved(checkpoint: Entry | null): Promise<boolean> {
    const entry = await this.#store.get(this.#definition.checkpoint)
    return entry?.revision !== checkpoint?.revision
  }

  /** Returns true if the writes were applied, false on a conflict or a lost answer. */
  async #commit<R>(writes: readonly Write[], doubts: Doubts<R>, result: R): Promise<boolean> {
    try {
      return (await this.#store.commit(writes)).ok
    } catch (error) {
      if (!isUnknownOutcome(error)) throw error
      const [first] = writes as [Write & { type: 'create' }]
      doubts.add(error, first, result)
      return false
    }
  }

  #creationOf({ seq, event }: Logged<E>): Write {
    return create(this.#keyOf(seq), this.#definition.codec.encode(event))
  }

  #advanceOf({ entry }: Checkpoint, seq: number): Write {
    const bytes = bytesOf(seq)
    return entry ? update(entry, bytes) : create(this.#definition.checkpoint, bytes)
  }

  #storedEvent({ key, value }: Entry): StoredEvent<E> | null {
    const seq = seqOf(key)
    if (seq === null) return null
    try {
      return { seq, event: this.#definition.codec.decode(value, key), problem: null }
    } catch (error) {
      return { seq, event: null, problem: error instanceof Error ? error.message : String(error) }
    }
  }

  #keyOf(seq: number): string {
    return `${this.#definition.prefix}/${segmentOf(seq)}`
  }
}

/** What taking a step has come to; null where it had nothing to say. */
interface Appended<E> {
  readonly logged: Logged<E> | null
  readonly hasMore: boolean
}

/** How far the documents are known to contain the events. */
interface Checkpoint {
  readonly entry: Entry | null
  readonly seq: number
  /** Whether the log ends there, and the checkpoint says so. */
  readonly isLast: boolean
}

const isSaid = ({ entry }: Checkpoint, seq: number): boolean =>
  entry !== null && Buffer.compare(entry.value, bytesOf(seq)) === 0
