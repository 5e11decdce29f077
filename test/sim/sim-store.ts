import type { PurgeOptions } from '../../src/store/abilities.ts'
import {
  type CommitResult,
  type Entry,
  Feed,
  guarded,
  type Head,
  type ListOptions,
  type Store,
  StoreError,
  type Version,
  type WatchEvent,
  type Write,
} from '../../src/store/index.ts'
import { isBelow } from '../../src/store/key.ts'
import type { Disk } from './disk.ts'
import type { FaultRates } from './faults.ts'
import type { Kind } from './kinds.ts'
import type { Process } from './process.ts'
import type { Trace } from './trace.ts'

/** What stands between a process and the disk: time, and what goes wrong on the way. */
export interface Network {
  readonly disk: Disk
  readonly kind: Kind
  readonly trace: Trace
  faults: FaultRates
  /** Until when the store can't be reached; 0 where it can. */
  awayUntilMs: number
}

export interface Costs {
  reads: number
  writes: number
  lists: number
}

/** Opens the store for one process. `observer` sees the disk as it is, at once. */
export function openSimStore(network: Network, process: Process): SimStore {
  return new SimStore(network, process)
}

/** Closes what the process holds, and counts what it has cost. */
export class SimStore implements AsyncDisposable {
  readonly store: Store
  readonly costs: Costs = { reads: 0, writes: 0, lists: 0 }
  readonly #driver: Driver

  constructor(network: Network, process: Process) {
    this.#driver = new Driver(network, process, this.costs)
    this.store = guarded(this.#driver)
  }

  /** What is still open: each is a leak once everything was told to stop. */
  get watchCount(): number {
    return this.#driver.watchCount
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.store[Symbol.asyncDispose]())
  }
}

class Driver implements Store {
  readonly limits: Store['limits']
  readonly #network: Network
  readonly #process: Process
  readonly #costs: Costs
  readonly #feed = new Feed()
  readonly #unlisten: () => void
  watchCount = 0

  constructor(network: Network, process: Process, costs: Costs) {
    this.#network = network
    this.#process = process
    this.#costs = costs
    this.limits = network.kind.limits
    this.#unlisten = network.disk.onCommit((keys) => this.#hear(keys))
  }

  get(key: string): Promise<Entry | null> {
    this.#costs.reads++
    return this.#read(`get ${key}`, () => this.#disk.store.get(key))
  }

  list(prefix: string, options: ListOptions = {}): AsyncIterable<Head> {
    return this.#pages(`list ${prefix}`, options, (page) => this.#disk.store.list(prefix, page))
  }

  scan(prefix: string, options: ListOptions = {}): AsyncIterable<Entry> {
    return this.#pages(`scan ${prefix}`, options, (page) => this.#disk.store.scan(prefix, page))
  }

  commit(writes: readonly Write[]): Promise<CommitResult> {
    this.#costs.writes++
    if (this.#process.isDead) return never()
    const { random } = this.#process.world
    const { faults, kind, trace } = this.#network
    const what = () => `commit ${writes.map(({ type, key }) => `${type} ${key}`).join(', ')}`
    return new Promise((resolve, reject) => {
      const answer = (ms: number, say: () => void) => void this.#process.after(ms, say)
      const fail = (ms: number, error: StoreError) =>
        answer(ms, () => {
          trace.note(this.#process, () => `${what()} → ${error.code}`)
          reject(error)
        })
      const apply = (onAnswer: (result: CommitResult) => void) => async () => {
        const rival = random.pick(writes)
        if (random.chance(faults.rival)) await this.#disk.touch(rival.key)
        const result = await this.#disk.commit(writes)
        trace.note(this.#process, () => `applied: ${what()} → ${result.ok ? 'ok' : 'conflict'}`)
        onAnswer(result)
      }
      const arriveMs = this.#latencyMs()
      const giveUpMs = kind.timeoutMs
      if (this.#isAway || random.chance(faults.refuse)) return fail(arriveMs, downError())
      if (random.chance(faults.late)) {
        // The client is told at its time limit, and the request arrives before, after, or never.
        const lateMs = random.logarithmic(1, 20_000)
        if (random.chance(0.7))
          this.#arrive(
            lateMs,
            apply(() => {}),
          )
        return fail(giveUpMs, lostAnswerError())
      }
      if (random.chance(faults.loseAnswer)) {
        this.#arrive(
          arriveMs,
          apply(() => {}),
        )
        return fail(random.chance(0.5) ? giveUpMs : arriveMs + this.#latencyMs(), lostAnswerError())
      }
      this.#arrive(
        arriveMs,
        apply((result) => answer(this.#latencyMs(), () => resolve(result))),
      )
    })
  }

  async *watch(prefix: string, signal?: AbortSignal): AsyncGenerator<WatchEvent> {
    this.watchCount++
    try {
      yield* this.#feed.watch(prefix, signal)
    } finally {
      this.watchCount--
    }
  }

  now(): Promise<number> {
    const { kind } = this.#network
    const { world } = this.#process
    return Promise.resolve(
      kind.hasClock ? world.epochMs + Math.floor(world.nowMs) : this.#process.wallMs(),
    )
  }

  get versions(): Store['versions'] {
    if (!this.#network.kind.hasVersions) return undefined
    return (key) => this.#versionsOf(key)
  }

  get purge(): Store['purge'] {
    if (!this.#network.kind.hasVersions) return undefined
    return (prefix, options) => this.#purge(prefix, options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unlisten()
  }

  get #disk(): Disk {
    return this.#network.disk
  }

  get #isAway(): boolean {
    return this.#network.awayUntilMs > this.#process.world.nowMs
  }

  #latencyMs(): number {
    const { random } = this.#process.world
    const { kind, faults } = this.#network
    const [from, to] = kind.latencyMs
    if (random.chance(faults.slow)) return random.logarithmic(to, kind.timeoutMs / 2 + to)
    return random.logarithmic(from, random.chance(0.1) ? to : Math.min(to, from * 20))
  }

  /** Requests arrive whatever becomes of the process that sent them. */
  #arrive(ms: number, run: () => void): void {
    this.#process.world.after(ms, null, run)
  }

  #read<T>(what: string, read: () => Promise<T>): Promise<T> {
    const { random } = this.#process.world
    const { faults, trace } = this.#network
    if (this.#process.isDead) return never()
    return new Promise((resolve, reject) => {
      if (this.#isAway || random.chance(faults.failRead)) {
        this.#process.after(this.#latencyMs(), () => {
          trace.note(this.#process, () => `${what} → unavailable`)
          reject(downError())
        })
        return
      }
      this.#arrive(this.#latencyMs(), async () => {
        const value = await read()
        this.#process.after(this.#latencyMs(), () => {
          trace.note(this.#process, () => `${what} → ${shown(value)}`)
          resolve(value)
        })
      })
    })
  }

  /** Each page is a request of its own, and sees the store as it is then. */
  async *#pages<T extends Head>(
    what: string,
    { limit, ...options }: ListOptions,
    open: (page: ListOptions) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    let bounds: ListOptions = options
    let left = limit ?? Number.POSITIVE_INFINITY
    for (;;) {
      this.#costs.lists++
      const wanted = Math.min(left, this.#network.kind.pageKeys)
      const page = await this.#read(what, () => taken(open({ ...bounds, limit: wanted })))
      yield* page
      left -= page.length
      const last = page.at(-1)
      if (last === undefined || page.length < wanted || left === 0) return
      bounds = options.reverse ? { ...options, before: last.key } : { ...options, after: last.key }
    }
  }

  #hear(keys: readonly string[]): void {
    const { kind, faults } = this.#network
    const { random } = this.#process.world
    if (!this.#feed.isWatched || this.#process.isDead) return
    const delayMs = (): number =>
      kind.watchMs === null ? random.next() * kind.pollMs : random.logarithmic(...kind.watchMs)
    if (random.chance(faults.watchGap)) {
      this.#process.after(random.logarithmic(100, 10_000), () => this.#feed.resync())
      return
    }
    this.#process.after(delayMs(), () => this.#feed.publish(keys))
    if (random.chance(faults.watchRepeat))
      this.#process.after(2 * delayMs(), () => this.#feed.publish(keys))
  }

  async *#versionsOf(key: string): AsyncGenerator<Version> {
    this.#costs.lists++
    yield* await this.#read(`versions ${key}`, async () => this.#disk.versionsOf(key))
  }

  async #purge(prefix: string, { olderThanMs, before }: PurgeOptions): Promise<number> {
    const { world } = this.#process
    const holds = (key: string) => isBelow(key, prefix) && (before === undefined || key < before)
    const since = world.epochMs + Math.floor(world.nowMs) - olderThanMs
    this.#costs.lists++
    return this.#read(`purge ${prefix}`, async () => this.#disk.purge(holds, since))
  }
}

async function taken<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Short enough for a line of a trace. */
function shown(value: unknown): string {
  if (value === null || typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map((item: Head) => item.key ?? item).join(', ')}]`
  const { value: bytes } = value as Partial<Entry>
  return bytes === undefined ? 'something' : new TextDecoder().decode(bytes).slice(0, 200)
}

/** What a process that is dead hears. */
const never = <T>(): Promise<T> => new Promise<T>(() => {})

const downError = (): StoreError =>
  new StoreError('down', 'The simulated store is away; nothing was written.', 'Try again.')

const lostAnswerError = (): StoreError =>
  new StoreError(
    'lost_answer',
    'The simulated store has lost an answer; the write may be there.',
    'Read the keys again, then decide.',
  )
