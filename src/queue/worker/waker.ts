import type { Store } from '../../store/internal.ts'
import { readyPrefix } from '../keys.ts'
import { isCostlyToWatch } from '../signal.ts'

/** How long a worker must have been busy before it stops listening. */
const restMs = 2_000

/**
 * Wakes an idle worker as soon as something may have become ready, on stores where listening costs little. A busy one
 * does not listen: it finds out by itself.
 */
export class Waker {
  readonly #store: Store
  readonly #onChange: (key: string | null) => void
  #stop: AbortController | undefined
  /** Watches that have not ended yet. */
  readonly #watches = new Set<Promise<void>>()
  #isListening = false
  /** Null while it is idle. */
  #busySince: number | null = null
  #isClosed = false

  /** `onChange` is told the key of an index entry that may have changed, null where any may have. */
  constructor(store: Store, onChange: (key: string | null) => void) {
    this.#store = store
    this.#onChange = onChange
  }

  /** Whether nothing is missed at this moment. */
  get isListening(): boolean {
    return this.#isListening
  }

  /** Listens from here on; true where it has just begun to, and what came before may have been missed. */
  async start(): Promise<boolean> {
    this.#busySince = null
    if (this.#isClosed || this.#stop || isCostlyToWatch(this.#store)) return false
    const stop = new AbortController()
    this.#stop = stop
    await new Promise<void>((begun) => {
      const watch = this.#listen(stop, begun).finally(() => this.#watches.delete(watch))
      this.#watches.add(watch)
    })
    return true
  }

  /** There is work to do. What is polled costs as long as it lasts, what is pushed most when it begins. */
  rest(): void {
    const now = performance.now()
    this.#busySince ??= now
    const isCheap = this.#store.limits.watch === 'push'
    if (this.#stop && (!isCheap || now - this.#busySince > restMs)) this.#end()
  }

  /** For good: it can't be started again. Returns when no watch is left, one that had not begun yet included. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#end()
    await Promise.all(this.#watches)
  }

  #end(): void {
    this.#stop?.abort()
    this.#stop = undefined
    this.#isListening = false
  }

  async #listen(stop: AbortController, begun: () => void): Promise<void> {
    try {
      for await (const event of this.#store.watch(readyPrefix, stop.signal)) {
        if (this.#stop === stop) this.#isListening = true
        begun()
        this.#onChange(event.type === 'key' ? event.key : null)
      }
    } catch {
      // The store is away: the next look says so.
    }
    begun()
    if (this.#stop !== stop) return
    this.#stop = undefined
    this.#isListening = false
  }
}
