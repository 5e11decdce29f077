import type { Caller } from './role.ts'

interface Looking {
  /** Reads the tokens. */
  readonly look: () => Promise<void>
  /** When the read began that is known by now. */
  readonly knownAt: () => number
  readonly mayStay: (caller: Caller) => boolean
}

interface Watched {
  readonly caller: Caller
  readonly lapsed: () => void
}

/** How often the tokens are read while anybody is watched. */
const everyMs = 1_000
/** How long nothing may be known of them until nobody may stay: together with a tick within two seconds. */
const unknownMsMax = 1_700
/** How long a read may take at least, whatever has kept it from beginning. */
const readMsMin = 700
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
  /** When the last read began; long ago where it has failed. */
  #lookedAt = Number.NEGATIVE_INFINITY

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
    const unknownMs = now - this.#looking.knownAt()
    const isUnreadable = this.#since !== null && now - this.#since > readMsMin
    this.#letGo(isUnreadable && unknownMs > unknownMsMax ? () => false : this.#looking.mayStay)
    if (Math.min(unknownMs, now - this.#lookedAt) < everyMs - tickMs / 2) return
    this.#lookedAt = now
    this.#since ??= now
    void this.#look()
  }

  async #look(): Promise<void> {
    try {
      await this.#looking.look()
      this.#since = null
      this.#letGo(this.#looking.mayStay)
    } catch {
      // The next tick tries again.
      this.#lookedAt = Number.NEGATIVE_INFINITY
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
