/** What a client expects of a key, and what it wants to put there: `expected` null for absent, `value` null for a removal. */
export interface RecordedWrite {
  readonly key: string
  readonly expected: string | null
  readonly value: string | null
}

/** A key as a read showed it. A list shows no values. */
export interface Seen {
  readonly key: string
  readonly revision: string
  readonly value?: string
}

/** What a client asks of a store. Times are microseconds of a clock that all clients share. */
export type Call =
  | { readonly type: 'get'; readonly key: string }
  /** `keys` names all that the history may hold below the prefix, so that absence can be checked. */
  | { readonly type: 'list'; readonly prefix: string; readonly keys: readonly string[] }
  | { readonly type: 'commit'; readonly writes: readonly RecordedWrite[] }

/** What came of a call. A call that was never answered has no outcome, and one that did nothing is not recorded. */
export type Outcome =
  | { readonly type: 'got'; readonly seen: Seen | null }
  | { readonly type: 'listed'; readonly seen: readonly Seen[] }
  | { readonly type: 'committed'; readonly revisions: readonly (string | null)[] }
  | { readonly type: 'conflict' }

/** One call of one client, from before it began until after it ended. */
export interface Operation {
  readonly client: string
  readonly calledAt: number
  /** Null where the outcome is unknown: it may take effect at any later time, or never. */
  readonly returnedAt: number | null
  readonly call: Call
  readonly outcome: Outcome | null
}

/** What clients did to a few keys that were absent when they began. */
export type History = readonly Operation[]

/** What a client writes down before and after a call; `nothing` is a call that the store says had no effect. */
export type Note =
  | { readonly id: string; readonly client: string; readonly at: number; readonly call: Call }
  | { readonly id: string; readonly at: number; readonly outcome: Outcome | 'unknown' | 'nothing' }

/** Pairs the notes of calls with those of their outcomes. A call without one is of a client that died during it. */
export function historyOf(notes: readonly Note[]): History {
  const ends = new Map<string, Extract<Note, { outcome: unknown }>>()
  for (const note of notes) if ('outcome' in note) ends.set(note.id, note)
  return notes.flatMap((note): Operation[] => {
    if (!('call' in note)) return []
    const { client, at: calledAt, call } = note
    const end = ends.get(note.id)
    if (end?.outcome === 'nothing') return []
    if (end !== undefined && end.outcome !== 'unknown')
      return [{ client, calledAt, returnedAt: end.at, call, outcome: end.outcome }]
    // A read that nobody heard the answer of says nothing.
    return call.type === 'commit'
      ? [{ client, calledAt, returnedAt: null, call, outcome: null }]
      : []
  })
}

/** How many commits have an unknown outcome. */
export const unknownsIn = (history: History): number =>
  history.filter(({ outcome }) => outcome === null).length
