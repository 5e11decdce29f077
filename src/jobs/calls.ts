import { setMaxListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CorruptDocumentError } from '../collection/index.ts'
import { CorruptTaskError, StoreClosedError } from './error.ts'

/** Every method takes it. Aborting lets a write that is on its way finish, and begins no other. */
export interface CallOptions {
  /** Lets a write that is on its way finish, and begins no other. */
  readonly signal?: AbortSignal | undefined
}

/** The calls of one manager: refused once it is closed, and waited for when it closes. */
export class Calls {
  readonly #inFlight = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()
  #isClosed = false

  constructor() {
    // Each stream that is followed listens to it.
    setMaxListeners(0, this.#closing.signal)
  }

  /** Runs a call that writes: aborted before it begins, or by what it does between its steps. */
  async write<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new StoreClosedError()
    signal?.throwIfAborted()
    // A program may well have one signal for all its calls; that is no leak.
    if (signal) setMaxListeners(0, signal)
    const running = call().catch(rethrow)
    this.#inFlight.add(running)
    try {
      return await running
    } finally {
      this.#inFlight.delete(running)
    }
  }

  /** Runs a call that only reads: whoever aborts it need not wait for an answer. */
  read<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    return this.write(signal, () => {
      if (!signal) return call()
      return new Promise<T>((resolve, reject) => {
        const abort = () => reject(signal.reason)
        signal.addEventListener('abort', abort, { once: true })
        call()
          .finally(() => signal.removeEventListener('abort', abort))
          .then(resolve, reject)
      })
    })
  }

  /** What a stream tells, until the signal is aborted or the manager closed; both end it quietly. */
  async *follow<T>(
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    if (this.#isClosed) throw new StoreClosedError()
    const ending = new AbortController()
    const end = () => ending.abort()
    const enders = signal ? [this.#closing.signal, signal] : [this.#closing.signal]
    if (signal?.aborted) return
    for (const ender of enders) ender.addEventListener('abort', end, { once: true })
    try {
      for await (const item of start(ending.signal)) {
        if (ending.signal.aborted) return
        yield item
      }
    } finally {
      for (const ender of enders) ender.removeEventListener('abort', end)
    }
  }

  /** Refuses every later call, and ends all streams. */
  close(): void {
    this.#isClosed = true
    this.#closing.abort()
  }

  /** Until no call is in flight, and whoever made one has its answer. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#inFlight)
    await nextTurn()
  }
}

function rethrow(error: unknown): never {
  if (!(error instanceof CorruptDocumentError)) throw error
  throw new CorruptTaskError(error.id, error.what, { cause: error.cause })
}
