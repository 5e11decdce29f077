import { setTimeout as sleep } from 'node:timers/promises'
import type { Companion } from '../serving.ts'
import { type Change, Listener } from './listener.ts'
import { type Hints, Source } from './source.ts'

/** How long the first word to a client waits for the watches, so that it need not be said twice. */
const patienceMs = 1_000
const lookMs = 10

/** Tells any number of clients what may have changed, by one watch for each model. */
export class ChangesHub implements Companion {
  readonly #sources: ReadonlyMap<string, Source>
  #clients = 0

  constructor(models: Readonly<Record<string, Hints>>, log: (line: string) => void) {
    this.#sources = new Map(
      Object.entries(models).map(([name, hints]) => [name, new Source({ name, hints, log })]),
    )
  }

  /** How many clients listen. */
  get clients(): number {
    return this.#clients
  }

  /** Nothing is watched before somebody listens. */
  async start(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#sources.values()].map((source) => source[Symbol.asyncDispose]()))
  }

  /** First that anything may have changed; then what has, until the signal is aborted. */
  async *follow(models: readonly string[], signal: AbortSignal): AsyncGenerator<Change | 'resync'> {
    const listener = new Listener()
    const wanted = [...this.#sources].filter(([name]) => models.includes(name))
    const stops = wanted.map(([name, source]) => source.listen((hint) => listener.hear(name, hint)))
    this.#clients++
    try {
      await inPlace(
        wanted.map(([, source]) => source),
        signal,
      )
      listener.resync()
      yield* listener.told(signal)
    } finally {
      this.#clients--
      for (const stop of stops) stop()
    }
  }
}

/** Waits for the watches, for a while: a client is to hear something also while the store is away. */
async function inPlace(sources: readonly Source[], signal: AbortSignal): Promise<void> {
  const end = performance.now() + patienceMs
  while (!signal.aborted && performance.now() < end && sources.some((each) => !each.isInPlace))
    await sleep(lookMs, undefined, { signal }).catch(() => {})
}
