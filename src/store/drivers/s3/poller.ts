import { Feed } from '../../feed.ts'
import type { WatchEvent } from '../../store.ts'
import type { Bucket } from './bucket.ts'
import { listed } from './listing.ts'

/** Looks at a prefix again and again while someone watches it, and tells which revisions have changed. */
export class Poller {
  readonly feed = new Feed()
  readonly #bucket: Bucket
  readonly #prefix: string
  readonly #onIdle: () => void
  #seen = new Map<string, string>()
  #start: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #hasGap = false

  constructor(bucket: Bucket, prefix: string, onIdle: () => void) {
    this.#bucket = bucket
    this.#prefix = prefix
    this.#onIdle = onIdle
  }

  /** The first look is made before the first `resync` is told: from there on nothing is missed. */
  async *watch(signal?: AbortSignal): AsyncGenerator<WatchEvent> {
    this.#start ??= this.#begin()
    await this.#start
    yield* this.feed.watch(this.#prefix, signal)
  }

  /** A commit of this store: told at once, and not again by the next look. */
  note(key: string, revision: string | null): void {
    if (revision === null) this.#seen.delete(key)
    else this.#seen.set(key, revision)
    this.feed.publish([key])
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#onIdle()
  }

  async #begin(): Promise<void> {
    try {
      this.#seen = await this.#look()
      this.#schedule()
    } catch (error) {
      this.stop()
      throw error
    }
  }

  #schedule(): void {
    this.#timer = setTimeout(() => this.#poll(), this.#bucket.client.place.pollMs)
  }

  async #poll(): Promise<void> {
    if (!this.feed.isWatched) return this.stop()
    const timer = this.#timer
    try {
      const seen = await this.#look()
      if (this.#hasGap) this.feed.resync()
      else this.feed.publish(changes(this.#seen, seen))
      this.#seen = seen
      this.#hasGap = false
    } catch {
      // The server is away; what happens meanwhile may be more than a look can tell afterwards.
      this.#hasGap = true
    }
    if (this.#timer === timer && timer) this.#schedule()
  }

  async #look(): Promise<Map<string, string>> {
    const seen = new Map<string, string>()
    for await (const { key, revision } of listed(this.#bucket, this.#prefix, {}))
      seen.set(key, revision)
    return seen
  }
}

function* changes(before: Map<string, string>, now: Map<string, string>): Generator<string> {
  for (const [key, revision] of now) if (before.get(key) !== revision) yield key
  for (const key of before.keys()) if (!now.has(key)) yield key
}
