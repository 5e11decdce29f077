import {
  compete,
  create,
  type Entry,
  lost,
  type Store,
  StoreError,
  update,
  type Write,
} from '../store/index.ts'
import type { Codec } from './codec.ts'
import { commitInOrder, fitsOneCommit, isUnknownOutcome } from './commit.ts'
import { Fold, type Projection } from './fold.ts'

export interface LogDefinition<E> {
  /** What it is called in messages, such as "the session 01JP…". */
  readonly noun: string
  /** Events lie below it, each under its sequence number as 16 hex digits. */
  readonly prefix: string
  /** The key of the number of the last event that the documents are known to contain: 8 bytes, big-endian. */
  readonly checkpoint: string
  readonly codec: Codec<E>
  /** What an event makes of the documents: a pure function, see {@link Projection}. */
  project(event: E, seq: number): Iterable<Projection>
}

export interface Logged<E> {
  readonly seq: number
  readonly event: E
}

/**
 * Says which events to append, by what it reads in the documents. It is told the number that its first event
 * would get, and the events of steps before it that no document shows yet. It is asked again whenever
 * somebody else appended meanwhile, and should then say only what is still to be done.
 */
export type Step<E> = (nextSeq: number, pending: readonly E[]) => Promise<readonly E[]>

/** An event as it is stored; `event` is null where that can't be read, and `problem` says why. */
export type StoredEvent<E> =
  | { readonly seq: number; readonly event: E; readonly problem: null }
  | { readonly seq: number; readonly event: null; readonly problem: string }

export interface ReadOptions {
  /** Only events after this number. */
  readonly after?: number
  readonly limit?: number
  /** The newest first. */
  readonly reverse?: boolean
}

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
      throw appended.length === 0 ? error : partlyDone(appended.length, error)
    }
    return appended
  }

  /** Completes the documents where the log is ahead of them; answers with the number of the last event. */
  async complete(): Promise<number> {
    const { seq } = await this.#completed()
    return seq
  }

  async *read({ after = 0, limit, reverse }: ReadOptions = {}): AsyncGenerator<StoredEvent<E>> {
    const options = { after: this.#keyOf(after), limit, reverse }
    for await (const entry of this.#store.scan(this.#definition.prefix, options)) {
      const stored = this.#storedEvent(entry)
      if (stored) yield stored
    }
  }

  /** Null where the store has no room for it. */
  #appendTogether(steps: readonly Step<E>[]): Promise<Logged<E>[] | null> {
    return compete(this.#definition.noun, async () => {
      const point = await this.#completed()
      const events: E[] = []
      for (const step of steps) events.push(...(await step(point.seq + 1 + events.length, events)))
      if (events.length === 0) return []
      const logged = events.map((event, at) => ({ seq: point.seq + 1 + at, event }))
      const whole = await this.#wholeOf(logged, point)
      if (!fitsOneCommit(this.#store, whole)) return null
      return (await this.#commit(whole)) ? logged : lost
    })
  }

  /** Appends the next event of a step; true when it may have another. */
  #appendOne(step: Step<E>, appended: Logged<E>[]): Promise<boolean> {
    return compete(this.#definition.noun, async () => {
      const { seq } = await this.#completed()
      const [event, ...more] = await step(seq + 1, [])
      if (event === undefined) return false
      const logged = { seq: seq + 1, event }
      if (!(await this.#commit([this.#creationOf(logged)]))) return lost
      appended.push(logged)
      // It has happened; what is left to do for it, the next reader does as well.
      await this.#completed().catch(() => {})
      return more.length > 0
    })
  }

  /** Events, documents and checkpoint, in an order in which each step is safe. */
  async #wholeOf(events: readonly Logged<E>[], point: Checkpoint): Promise<Write[]> {
    const fold = new Fold(this.#store)
    for (const { event, seq } of events) fold.add(this.#definition.project(event, seq))
    await fold.read()
    const { seq } = events.at(-1) as Logged<E>
    return [
      ...events.map((logged) => this.#creationOf(logged)),
      ...fold.writes(),
      this.#advanceOf(point, seq),
    ]
  }

  /** Brings the documents to the end of the log. */
  #completed(): Promise<Checkpoint> {
    return compete(this.#definition.noun, async () => {
      const point = await this.#checkpoint()
      const fold = new Fold(this.#store)
      let { seq } = point
      // The log is read once more after the documents: whatever those contain lies then before its end.
      for (let isNew = true; isNew; await fold.read()) {
        isNew = false
        for await (const stored of this.#readOn(seq)) {
          if (stored.event !== null) fold.add(this.#definition.project(stored.event, stored.seq))
          seq = stored.seq
          isNew = true
        }
      }
      if (seq === point.seq && !point.isWrong) return point
      const writes = [...fold.writes(), this.#advanceOf(point, seq)]
      return (await commitInOrder(this.#store, writes)) ? this.#checkpoint() : lost
    })
  }

  /** Events after a number. One get tells where there are none, which is the rule. */
  async *#readOn(seq: number): AsyncGenerator<StoredEvent<E>> {
    if ((await this.#store.get(this.#keyOf(seq + 1))) !== null) yield* this.read({ after: seq })
  }

  async #checkpoint(): Promise<Checkpoint> {
    const entry = await this.#store.get(this.#definition.checkpoint)
    const seq = entry && numberIn(entry.value)
    if (seq === 0) return { entry, seq, isWrong: false }
    // It may be ahead of the log only where somebody tampered with either: the log is right.
    if (seq !== null && (await this.#store.get(this.#keyOf(seq))))
      return { entry, seq, isWrong: false }
    return this.#foundPoint(entry, seq)
  }

  async #foundPoint(entry: Entry | null, said: number | null): Promise<Checkpoint> {
    if (said === null) return { entry, seq: 0, isWrong: entry !== null }
    const newest = this.#store.list(this.#definition.prefix, { reverse: true, limit: 1 })
    for await (const { key } of newest) return { entry, seq: seqOf(key), isWrong: true }
    return { entry, seq: 0, isWrong: true }
  }

  /** True when these are now there, false when somebody else was faster. */
  async #commit(writes: readonly Write[]): Promise<boolean> {
    try {
      return (await this.#store.commit(writes)).ok
    } catch (error) {
      if (!isUnknownOutcome(error)) throw error
      const [first] = writes as [Write & { type: 'create' }]
      const entry = await this.#store.get(first.key).catch(() => {
        throw error
      })
      return entry !== null && Buffer.compare(entry.value, first.value) === 0
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
    if (!Number.isSafeInteger(seq)) return null
    try {
      return { seq, event: this.#definition.codec.decode(value, key), problem: null }
    } catch (error) {
      return { seq, event: null, problem: error instanceof Error ? error.message : String(error) }
    }
  }

  #keyOf(seq: number): string {
    return `${this.#definition.prefix}/${hexOf(seq)}`
  }
}

/** How far the documents are known to contain the events. */
interface Checkpoint {
  readonly entry: Entry | null
  readonly seq: number
  /** Whether it says something that the log does not bear out. */
  readonly isWrong: boolean
}

const partlyDone = (count: number, error: unknown): StoreError =>
  new StoreError(
    'lost_answer',
    `The first ${count} steps were done, then the store failed: ${error instanceof Error ? error.message : error}`,
    'Do the same again: what is done is not done twice.',
    error,
  )

const hexOf = (seq: number): string => seq.toString(16).padStart(16, '0')
const seqOf = (key: string): number => {
  const digits = key.slice(key.lastIndexOf('/') + 1)
  return /^[0-9a-f]{16}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN
}

export function bytesOf(seq: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(seq))
  return bytes
}

/** Null for what is no counter. */
function numberIn(value: Uint8Array): number | null {
  if (value.byteLength !== 8) return null
  return Number(new DataView(value.buffer, value.byteOffset, 8).getBigUint64(0))
}
