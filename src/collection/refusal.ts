/**
 * What kinds of failures there are, and what each is on the surfaces, the same for every model: what a program ends with, and the
 * code and status over HTTP where a model has none of its own. Libraries tell their errors apart by class.
 *
 * Scripts and agents branch on exit codes: they never change their meaning.
 */
export const kinds = {
  /** What was named is not there. */
  not_found: { exit: 3, code: 'NOT_FOUND', status: 404 },
  /** More than one thing is meant. */
  ambiguous: { exit: 5, code: 'AMBIGUOUS', status: 409 },
  /** The command line or the request can never work; correct it. */
  invalid: { exit: 2, code: 'INVALID_BODY', status: 400 },
  /** Somebody else was first. */
  conflict: { exit: 5, code: 'CONFLICT', status: 409 },
  /** Only the agent that claimed it may do this. */
  not_owner: { exit: 5, code: 'CONFLICT', status: 409 },
  /** A valid request that the present state refuses. */
  refused: { exit: 6, code: 'REFUSED', status: 409 },
  /** A corrupt document that was asked for by name. */
  corrupt: { exit: 1, code: 'CORRUPT', status: 422 },
  /** There is nothing here to work on, such as no session in this directory. */
  no_store: { exit: 4, code: 'REFUSED', status: 409 },
  /** The store can't be reached at present; the same command may succeed later. */
  unavailable: { exit: 7, code: 'STORE_UNAVAILABLE', status: 503 },
  /** Something that nobody foresaw. */
  internal: { exit: 1, code: 'INTERNAL_ERROR', status: 500 },
} as const

/** What kind of "no" a model says. The store's own failures and what nobody foresaw are none. */
export type RefusalKind = Exclude<keyof typeof kinds, 'unavailable' | 'internal'>

/** A request that a model refuses for a reason of its own, not of the store. Nothing was changed. */
export abstract class Refusal extends Error {
  /** What kind of refusal it is, in the words that all models and surfaces share. */
  abstract readonly kind: RefusalKind
  /** What and why, without what to do about it. */
  readonly what: string
  /** What to do about it: one sentence, also the last one of `message`; null where nothing helps. */
  readonly next: string | null

  /** Of an ambiguous id: the first of what it may mean, and how many there are. */
  readonly candidates?: readonly string[]
  /** How many there are, where `candidates` names only some of them. */
  readonly count?: number
  /** Of a claim that is in the way: the agent that has it; null where nobody does. */
  readonly heldBy?: string | null

  constructor(what: string, next: string | null = null) {
    super(next === null ? what : `${asSentence(what)} ${next}`)
    this.what = what
    this.next = next
  }
}

/** Words that are fixed by a specification have no full stop; before another sentence they need one. */
const asSentence = (what: string): string => (/[.!?…]$/.test(what) ? what : `${what}.`)
