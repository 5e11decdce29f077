import { type Store, StoreError } from '../store/internal.ts'
import { Refusal } from './refusal.ts'

/** A commit that begins with the creation of a key that is never removed: whose bytes are there has won. */
interface Doubt<R> {
  readonly key: string
  readonly value: Uint8Array
  readonly result: R
}

/**
 * The commits of one operation whose answers were lost. Each may be there, or still arrive; until that is known, neither a
 * failure nor a refusal nor "nothing to do" may be taken for "nothing happened".
 */
export class Doubts<R> {
  readonly #store: Store
  readonly #open: Doubt<R>[] = []
  #error: StoreError | null = null

  constructor(store: Store) {
    this.#store = store
  }

  add(error: StoreError, first: { key: string; value: Uint8Array }, result: R): void {
    this.#error = error
    this.#open.push({ key: first.key, value: first.value, result })
  }

  /** The result of a commit that has won after all; null where none has, yet. */
  async won(): Promise<R | null> {
    for (const doubt of [...this.#open]) {
      const entry = await this.#store.get(doubt.key)
      if (entry === null) continue
      if (Buffer.compare(entry.value, doubt.value) === 0) return doubt.result
      // Another's bytes are there, so these never will be.
      this.#open.splice(this.#open.indexOf(doubt), 1)
    }
    return null
  }

  /** Runs the operation, and settles what is in doubt where it fails. */
  async settled<T>(run: () => Promise<T>): Promise<T | R> {
    try {
      return await run()
    } catch (error) {
      if (this.#error === null) throw error
      const won = await this.won().catch(() => null)
      if (won !== null) return won
      throw this.#open.length > 0 ? this.#error : error
    }
  }

  /** What holds unless something is in doubt: then it throws. */
  sure<T>(result: T): T {
    if (this.#open.length > 0) throw this.#error
    return result
  }
}

/** What ended something of which a part was done: from then on neither a failure nor a refusal may say "nothing happened". */
export function partlyDone(events: number, error: unknown): unknown {
  if (!(error instanceof StoreError || error instanceof Refusal)) return error
  const then = error instanceof StoreError ? 'the store failed' : 'the rest was refused'
  return new StoreError(
    'lost_answer',
    `Part of it was done, ${events === 1 ? 'one event' : `${events} events`}; then ${then}: ${error.message}`,
    'Do the same again: what is done is not done twice.',
    error,
  )
}
