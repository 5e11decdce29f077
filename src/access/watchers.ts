import type { Caller } from './role.ts'

interface Looking {
  /** Reads the tokens. */
  readonly look: () => Promise<void>
  readonly mayStay: (caller: Caller) => boolean
}

interface Watched {
  readonly caller: Caller
  readonly lapsed: () => void
}

/** How often the tokens are read while anybody is watched. */
const everyMs = 1_000
/** How long they may be unreadable until nobody may stay. */
const unreadableMsMax = 1_500
/** How often that is looked at. */
const tickMs = 250

/**
 * Callers with a stream, who stay for long: each is told when they may no longer. The tokens are read each second while there
 * are any. Where they can't be read for a while, nobody knows who may stay, so all are let go and come back.
 */
export class Watchers {
  readonly #looking: Looking
  readonly #watched = new Set<Watched>()
  #timer: NodeJS.Timeout | undefined
  /** When the read began that is under way, or the first of those that failed in a row. */
  #since: number | null = null
  #lastLookAt = 0
  #isPending = false

  constructor(looking: Looking) {
    this.#looking = looking
  }

  add(caller: Caller, lapsed: () => void): () => void {
    const watched = { caller, lapsed }
    this.#watched.add(watched)
    this.#timer ??= setInterval(() => this.#tick(), tickMs).unref()
    return () => this.#remove(watched)
  }

  #remove(watched: Watched): void {
    this.#watched.delete(watched)
    if (this.#watched.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#since = null
  }

  #tick(): void {
    const now = performance.now()
    if (this.#since !== null && now - this.#since > unreadableMsMax) this.#letGo(() => false)
    if (this.#isPending || now - this.#lastLookAt < everyMs - tickMs / 2) return
    this.#lastLookAt = now
    this.#since ??= now
    void this.#look()
  }

  async #look(): Promise<void> {
    this.#isPending = true
    try {
      await this.#looking.look()
      this.#since = null
      this.#letGo(this.#looking.mayStay)
    } catch {
      // `#since` says for how long.
    } finally {
      this.#isPending = false
    }
  }

  #letGo(mayStay: (caller: Caller) => boolean): void {
    for (const watched of this.#watched)
      if (!mayStay(watched.caller)) {
        this.#remove(watched)
        watched.lapsed()
      }
  }
}
