/**
 * What kind of "no" a model says. Surfaces turn it into exit codes, words and statuses, the same for every
 * model; libraries tell their errors apart by class.
 */
export type RefusalKind =
  | 'not_found'
  | 'ambiguous'
  | 'invalid'
  | 'conflict'
  /** Only the agent that claimed it may do this. */
  | 'not_owner'
  | 'refused'
  | 'corrupt'
  /** There is nothing here to work on, such as no session in this directory. */
  | 'no_store'

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
