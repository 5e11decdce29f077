import { setImmediate as turn } from 'node:timers/promises'

/** The longest pause after so many losses, when the last attempt took so long. */
export type Ceiling = (losses: number, costMs: number) => number

interface Fight {
  readonly writers: number
  /** What a request costs a server that answers one after another. */
  readonly requestMs: number
  readonly ceiling: Ceiling
  readonly seed: number
}

const attemptsMax = 64

/**
 * Writers that each change one document on a store without transactions, as collections do, by a clock that
 * only jumps: they read it, put two marks and swap it, and who has done so sweeps a stale mark away, for which
 * the document is swapped for itself. Whoever sweeps keeps others from changing, and the other way round.
 */
export async function fight({ writers, requestMs, ceiling, seed }: Fight) {
  const random = randomOf(seed)
  const clock = new JumpingClock()
  const told = { gaveUp: 0, lossesMost: 0, ms: 0 }
  let freeAt = 0
  let document = 0
  let mark = 0
  const request = (): Promise<void> => {
    freeAt = Math.max(freeAt, clock.now) + requestMs * (0.7 + 0.6 * random())
    return clock.at(freeAt)
  }
  const swapped = async (seen: number): Promise<boolean> => {
    await request()
    if (document !== seen) return false
    document++
    return true
  }
  const won = async (attempt: () => Promise<boolean>): Promise<boolean> => {
    for (let losses = 0; losses < attemptsMax; losses++) {
      const startedAt = clock.now
      if (await attempt()) return true
      told.lossesMost = Math.max(told.lossesMost, losses + 1)
      await clock.at(clock.now + random() * ceiling(losses + 1, clock.now - startedAt))
    }
    told.gaveUp++
    return false
  }
  const change = () =>
    won(async () => {
      await request()
      const seen = document
      await request()
      await request()
      mark++
      return swapped(seen)
    })
  const sweep = () =>
    won(async () => {
      await request()
      const seenMark = mark
      await request()
      if (!(await swapped(document))) return false
      await request()
      return mark === seenMark
    })
  const all = Array.from({ length: writers }, async () => (await change()) && sweep())
  await clock.run()
  await Promise.all(all)
  return { ...told, ms: clock.now }
}

/** Time that goes on from one thing that somebody waits for to the next. */
class JumpingClock {
  now = 0
  readonly #waiting: { readonly at: number; readonly go: () => void }[] = []

  at(at: number): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ at, go })
    })
  }

  /** Until nobody waits any more. */
  async run(): Promise<void> {
    for (await turn(); this.#waiting.length > 0; await turn()) {
      const next = this.#waiting.reduce((first, each) => (each.at < first.at ? each : first))
      this.#waiting.splice(this.#waiting.indexOf(next), 1)
      this.now = next.at
      next.go()
    }
  }
}

/** The same numbers for the same seed (xorshift). */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
