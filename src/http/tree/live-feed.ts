import { setTimeout as sleep } from 'node:timers/promises'
import type { Resync, TaskEvent, TaskFeed, TaskTree } from '../../tree/internal.ts'

/** How long to wait before a feed that failed is begun anew. */
const pauseMs = 1_000

/**
 * The feed of a tree for as long as a server runs. Where it fails, because the store does, it is begun anew: those who
 * followed are let go, come back, and hear that they may have missed something.
 */
export class LiveFeed implements AsyncDisposable {
  readonly #tree: TaskTree
  readonly #log: (line: string) => void
  readonly #ending = new AbortController()
  #feed: TaskFeed
  #running: Promise<void> = Promise.resolve()

  constructor(tree: TaskTree, log: (line: string) => void) {
    this.#tree = tree
    this.#log = log
    this.#feed = tree.feed()
  }

  async start(): Promise<void> {
    const { following } = await this.#feed.start()
    this.#running = this.#run(following)
  }

  /** Where one who begins now begins. */
  get lastId(): string {
    return this.#feed.lastId
  }

  events(lastSeen: string, signal: AbortSignal): AsyncGenerator<TaskEvent | Resync> {
    return this.#feed.events(lastSeen, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    await this.#feed[Symbol.asyncDispose]()
    await this.#running
  }

  async #run(first: Promise<void>): Promise<void> {
    for (let following = first; !this.#ending.signal.aborted; )
      try {
        await following
        return
      } catch (error) {
        this.#log(`Following the tasks failed, and is begun anew: ${(error as Error).message}`)
        following = this.#begin()
      }
  }

  async #begin(): Promise<void> {
    await this.#feed[Symbol.asyncDispose]()
    await sleep(pauseMs, undefined, { signal: this.#ending.signal }).catch(() => {})
    if (this.#ending.signal.aborted) return
    // Before it is started, so that whoever ends us meanwhile ends it, too.
    this.#feed = this.#tree.feed()
    const { following } = await this.#feed.start()
    await following
  }
}
