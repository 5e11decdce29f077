import type { PurgeOptions } from '../../src/store/abilities.ts'
import {
  type CommitResult,
  type Entry,
  Feed,
  type Head,
  type ListOptions,
  type Store,
  type Version,
  type WatchEvent,
  type Write,
} from '../../src/store/index.ts'
import { isBelow } from '../../src/store/key.ts'
import { downError, isAway, latencyMs, type Network, Request } from './network.ts'
import { Pages } from './pages.ts'
import type { Process } from './process.ts'

/** What a process has asked of the store. */
export interface Costs {
  /** Single entries that it read. */
  reads: number
  /** Lists and scans that it began, and how many entries these gave. */
  lists: number
  entries: number
  /** Commits, and how many writes these held. */
  commits: number
  writes: number
}

export const noCosts = (): Costs => ({ reads: 0, lists: 0, entries: 0, commits: 0, writes: 0 })

/** How long the time of a store's clock is known before it is asked again. */
const clockLookMs = 600_000

/** What a process has of the disk: requests that take time and go wrong. */
export class Driver implements Store {
  readonly limits: Store['limits']
  readonly #network: Network
  readonly #process: Process
  readonly #costs: Costs
  readonly #feed = new Feed()
  readonly #unlisten: () => void
  readonly #watches = new Set<object>()
  #clockLookedAt = Number.NEGATIVE_INFINITY

  constructor(network: Network, process: Process, costs: Costs) {
    this.#network = network
    this.#process = process
    this.#costs = costs
    this.limits = network.kind.limits
    this.#unlisten = network.disk.onCommit((keys) => this.#hear(keys))
  }

  get watchCount(): number {
    return this.#watches.size
  }

  get(key: string): Promise<Entry | null> {
    this.#costs.reads++
    return this.#read(`get ${key}`, () => this.#network.disk.shelf.get(key))
  }

  list(prefix: string, options: ListOptions = {}): AsyncIterable<Head> {
    return this.#pages(`list ${prefix}`, options, this.#network.disk.shelf.heads(prefix, options))
  }

  scan(prefix: string, options: ListOptions = {}): AsyncIterable<Entry> {
    return this.#pages(`scan ${prefix}`, options, this.#network.disk.shelf.entries(prefix, options))
  }

  commit(writes: readonly Write[]): Promise<CommitResult> {
    this.#costs.commits++
    this.#costs.writes += writes.length
    return this.#process.isDead ? never() : new Request(this.#network, this.#process, writes).send()
  }

  async *watch(prefix: string, signal?: AbortSignal): AsyncGenerator<WatchEvent> {
    const watch = {}
    // It ends with its signal, whether anybody reads on or not.
    const end = () => void this.#watches.delete(watch)
    if (!signal?.aborted) this.#watches.add(watch)
    signal?.addEventListener('abort', end)
    try {
      yield* this.#feed.watch(prefix, signal)
    } finally {
      end()
      signal?.removeEventListener('abort', end)
    }
  }

  /** A store that has a clock is asked for the time once in a while; in between it is known. */
  async now(): Promise<number> {
    const { world } = this.#process
    if (!this.#network.kind.hasClock) return this.#process.wallMs()
    if (world.nowMs - this.#clockLookedAt > clockLookMs) {
      await this.#read('now', () => null)
      this.#clockLookedAt = world.nowMs
    }
    return world.epochMs + Math.floor(world.nowMs)
  }

  get isStill(): Store['isStill'] {
    if (!this.#network.kind.isAtHand) return undefined
    const { shelf } = this.#network.disk
    return (heads) => !isAway(this.#network, this.#process.world) && shelf.isStill(heads)
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

  #read<T>(what: string, read: () => T): Promise<T> {
    const { world } = this.#process
    const { random } = world
    const { faults, trace } = this.#network
    if (this.#process.isDead) return never()
    return new Promise((resolve, reject) => {
      const fail = () => {
        this.#process.after(latencyMs(this.#network, random), () => {
          trace.note(this.#process, () => `${what} → unavailable`)
          reject(downError())
        })
      }
      if (isAway(this.#network, world) || random.chance(faults.failRead)) {
        fail()
        return
      }
      const answer = (value: T) => {
        trace.note(this.#process, () => `${what} → ${shown(value)}`)
        resolve(value)
      }
      if (this.#network.isSettling) {
        const ms = latencyMs(this.#network, random) + latencyMs(this.#network, random)
        this.#process.after(ms, () => answer(read()))
        return
      }
      world.after(latencyMs(this.#network, random), null, () => {
        if (isAway(this.#network, world)) {
          fail()
          return
        }
        const value = read()
        this.#process.after(latencyMs(this.#network, random), () => answer(value))
      })
    })
  }

  /** Each page is a request of its own, and sees the store as it is then. */
  #pages<T extends Head>(
    what: string,
    { limit }: ListOptions,
    read: (after: string | null, limit: number) => T[],
  ): AsyncIterable<T> {
    const costs = this.#costs
    const turn = async (after: string | null, wanted: number) => {
      if (after === null) costs.lists++
      const page = await this.#read(what, () => read(after, wanted))
      costs.entries += page.length
      return page
    }
    const { pageKeys } = this.#network.kind
    return { [Symbol.asyncIterator]: () => new Pages(turn, pageKeys, limit) }
  }

  #hear(keys: readonly string[]): void {
    const { kind, faults } = this.#network
    const { random } = this.#process.world
    if (!this.#feed.isWatched || this.#process.isDead) return
    // What is on its way to a watch is none of the client's timers.
    const later = (ms: number, run: () => void) => this.#process.world.after(ms, this.#process, run)
    const delayMs = (): number =>
      kind.watchMs === null ? random.next() * kind.pollMs : random.logarithmic(...kind.watchMs)
    if (random.chance(faults.watchGap)) {
      later(random.logarithmic(100, 10_000), () => this.#feed.resync())
      return
    }
    later(delayMs(), () => this.#feed.publish(keys))
    if (random.chance(faults.watchRepeat)) later(2 * delayMs(), () => this.#feed.publish(keys))
  }

  async *#versionsOf(key: string): AsyncGenerator<Version> {
    this.#costs.lists++
    yield* await this.#read(`versions ${key}`, () => this.#network.disk.versionsOf(key))
  }

  async #purge(prefix: string, { olderThanMs, before }: PurgeOptions): Promise<number> {
    const { world } = this.#process
    const holds = (key: string) => isBelow(key, prefix) && (before === undefined || key < before)
    const since = world.epochMs + Math.floor(world.nowMs) - olderThanMs
    this.#costs.lists++
    return this.#read(`purge ${prefix}`, () => this.#network.disk.purge(holds, since))
  }
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
