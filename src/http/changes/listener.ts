import { setTimeout as sleep } from 'node:timers/promises'
import type { Hint } from './source.ts'

/** A hint as it is sent. */
export interface Change {
  readonly model: string
  readonly id: string
}

/** How many changes wait for a client before it is told to read all again instead. */
export const pendingMax = 500
/** How long changes are gathered, so that one that goes on changing is not told of each time. */
const gatherMs = 50

/** What one client has not been told yet: each change once, and never more than a bounded number of them. */
export class Listener {
  readonly #pending = new Map<string, Change>()
  #isResync = false
  #wake: (() => void) | undefined

  hear(model: string, hint: Hint): void {
    if (hint.type === 'resync') this.resync()
    // Whoever is to read all again need not hear of anything in particular.
    else if (!this.#isResync) {
      this.#pending.set(`${model}/${hint.id}`, { model, id: hint.id })
      if (this.#pending.size > pendingMax) this.resync()
    }
    this.#wake?.()
  }

  resync(): void {
    this.#isResync = true
    this.#pending.clear()
    this.#wake?.()
  }

  /** What there is to tell, as soon as there is anything; nothing once the signal is aborted. */
  async *told(signal: AbortSignal): AsyncGenerator<Change | 'resync'> {
    const wake = () => this.#wake?.()
    signal.addEventListener('abort', wake)
    try {
      while (!signal.aborted) {
        if (this.#isResync) {
          this.#isResync = false
          yield 'resync'
        } else if (this.#pending.size > 0) {
          yield* this.#take()
          await sleep(gatherMs, undefined, { signal }).catch(() => {})
        } else await this.#news(signal)
      }
    } finally {
      signal.removeEventListener('abort', wake)
    }
  }

  /** What has come meanwhile waits for its turn; a resync takes the place of what is left. */
  *#take(): Generator<Change> {
    for (const [key, change] of this.#pending) {
      this.#pending.delete(key)
      yield change
    }
  }

  async #news(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#wake = undefined
  }
}
