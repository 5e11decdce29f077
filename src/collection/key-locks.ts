/**
 * Lets the writers of this process that want the same key go one after another. They would be right without
 * it, but each would lose to all others first.
 */
export class KeyLocks {
  readonly #last = new Map<string, Promise<void>>()

  /** Waits for all of the keys, runs the step, and lets the next one in. */
  async run<T>(keys: readonly string[], step: () => Promise<T>): Promise<T> {
    let leave = () => {}
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    // Taken in one go, so that no two can each hold what the other waits for.
    const before = keys.map((key) => this.#last.get(key))
    for (const key of keys) this.#last.set(key, left)
    try {
      await Promise.all(before)
      return await step()
    } finally {
      leave()
      for (const key of keys) if (this.#last.get(key) === left) this.#last.delete(key)
    }
  }
}
