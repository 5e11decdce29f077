import { setTimeout as sleep } from 'node:timers/promises'

/** What a model tells: that something may have changed, or that anything may. */
export type Hint = { readonly type: 'resync' } | { readonly type: 'document'; readonly id: string }

/** The first hint is always of everything. */
export type Hints = (signal: AbortSignal) => AsyncIterable<Hint>

/** How long to wait before a watch that failed is begun anew, at first and at most. */
const pauseMsFirst = 500
const pauseMsMax = 5_000
/** How long to go on when nobody listens: whoever reloads a page is back at once. */
const lingerMs = 10_000

interface SourceOptions {
  readonly name: string
  readonly hints: Hints
  readonly log: (line: string) => void
}

/**
 * The one watch of a model, for all who listen. It runs while somebody does, and a little longer. Where it fails,
 * because the store does, it is begun anew, and all hear that they may have missed something.
 */
export class Source implements AsyncDisposable {
  readonly #options: SourceOptions
  readonly #listeners = new Set<(hint: Hint) => void>()
  #ending: AbortController | undefined
  #running: Promise<void> = Promise.resolve()
  #linger: NodeJS.Timeout | undefined
  #isInPlace = false
  #isClosed = false

  constructor(options: SourceOptions) {
    this.#options = options
  }

  /** Whether whatever happens from now on is told. */
  get isInPlace(): boolean {
    return this.#isInPlace
  }

  /** Calls back with every hint, until it is told to stop. */
  listen(listener: (hint: Hint) => void): () => void {
    this.#listeners.add(listener)
    clearTimeout(this.#linger)
    if (!this.#ending && !this.#isClosed) this.#start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearTimeout(this.#linger)
      this.#linger = setTimeout(() => this.#stop(), lingerMs).unref()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#linger)
    this.#stop()
    await this.#running
  }

  #start(): void {
    const ending = new AbortController()
    this.#ending = ending
    const before = this.#running
    this.#running = before.then(() => this.#run(ending.signal))
  }

  #stop(): void {
    this.#ending?.abort()
    this.#ending = undefined
    this.#isInPlace = false
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { name, hints, log } = this.#options
    for (let pauseMs = pauseMsFirst; !signal.aborted; pauseMs *= 2) {
      try {
        for await (const hint of hints(signal)) {
          if (signal.aborted) return
          this.#isInPlace = true
          if (hint.type === 'document') pauseMs = pauseMsFirst
          for (const listener of this.#listeners) listener(hint)
        }
      } catch (error) {
        if (!signal.aborted)
          log(`Following the ${name} failed, and is begun anew: ${(error as Error).message}`)
      }
      if (signal.aborted) return
      this.#isInPlace = false
      await sleep(Math.min(pauseMs, pauseMsMax), undefined, { signal }).catch(() => {})
    }
  }
}
