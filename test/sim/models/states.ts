/** What a key held from one write to the next; `value` is null where nothing was there. Ticks count commits. */
interface Span<T> {
  readonly value: T | null
  readonly from: number
  readonly to: number
}

/** From the tick at which a client asked to that at which it heard the answer. */
export interface Window {
  readonly since: number
  readonly until: number
}

/** Every state that each key has had, so that an answer can be compared with what was true while it was on its way. */
export class States<T> {
  readonly #spans = new Map<string, Span<T>[]>()

  note(key: string, value: T | null, tick: number): void {
    const spans = this.#spans.get(key) ?? [{ value: null, from: 0, to: Number.POSITIVE_INFINITY }]
    const last = spans.pop() as Span<T>
    const to = Number.POSITIVE_INFINITY
    this.#spans.set(key, [...spans, { ...last, to: tick }, { value, from: tick, to }])
  }

  keys(): Iterable<string> {
    return this.#spans.keys()
  }

  now(key: string): T | null {
    return this.#spans.get(key)?.at(-1)?.value ?? null
  }

  /** How often the key was written, with the states before and after. */
  changes(key: string): { before: T | null; after: T | null; tick: number }[] {
    const spans = this.#spans.get(key) ?? []
    return spans.slice(1).map(({ value, from }, at) => ({
      before: (spans[at] as Span<T>).value,
      after: value,
      tick: from,
    }))
  }

  /** What the key held at any moment of the window. */
  during(key: string, { since, until }: Window): (T | null)[] {
    const spans = this.#spans.get(key)
    if (!spans) return [null]
    return spans.filter(({ from, to }) => from <= until && to > since).map(({ value }) => value)
  }

  /** Whether the key was written at some moment after the window began, and before it ended. */
  hasChangedIn(key: string, { since, until }: Window): boolean {
    return this.changes(key).some(({ tick }) => tick > since && tick <= until)
  }
}
