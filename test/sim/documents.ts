import type { Applied } from './disk.ts'
import type { World } from './world.ts'

/** A JSON document as it was stored. */
export type Document = Readonly<Record<string, unknown>>

interface State {
  readonly fromMs: number
  /** Null where it was removed. */
  readonly document: Document | null
}

/** The states that the documents below a prefix have had, and when. */
export class Documents {
  readonly #world: World
  readonly #prefix: string
  readonly #states = new Map<string, State[]>()

  constructor(world: World, prefix: string) {
    this.#world = world
    this.#prefix = prefix
  }

  applied(writes: readonly Applied[]): void {
    for (const { key, value } of writes) {
      if (!key.startsWith(this.#prefix)) continue
      const states = this.#states.get(key) ?? []
      const document = value === null ? null : JSON.parse(new TextDecoder().decode(value))
      states.push({ fromMs: this.#world.nowMs, document })
      this.#states.set(key, states)
    }
  }

  /** All states that it had at some time from then until now; null where it was absent. */
  since(key: string, ms: number): readonly (Document | null)[] {
    const states = this.#states.get(key) ?? []
    const first = states.findIndex(({ fromMs }) => fromMs >= ms)
    const later = first === -1 ? [] : states.slice(first)
    const before = first === -1 ? states.at(-1) : states[first - 1]
    return [before?.document ?? null, ...later.map(({ document }) => document)]
  }

  /** Every state that any document has ever had. */
  *ever(): Generator<Document> {
    for (const states of this.#states.values())
      for (const { document } of states) if (document !== null) yield document
  }

  /** As they are now. */
  *now(): Generator<readonly [key: string, document: Document]> {
    for (const [key, states] of this.#states) {
      const document = states.at(-1)?.document
      if (document) yield [key, document]
    }
  }
}
