import type { History, Operation, RecordedWrite, Seen } from './history.ts'

/** The state of a key: 0 for absent, else a number for the write that made it. */
export type StateId = number

export const absent: StateId = 0
/** What no write ever made: an expectation of it never holds. */
const impossible: StateId = -1

/**
 * Which write each revision names. A value is written once in a history, so a read that shows it tells the revision
 * even of a write whose answer was lost.
 */
export class States {
  /** What no order of the operations could explain. */
  readonly flaws: string[] = []
  readonly #byValue = new Map<string, StateId>()
  readonly #byRevision = new Map<string, StateId>()
  /** The name that reads show, by state. */
  readonly #shown = new Map<StateId, string>()
  /** Keys that hold a state whose revision nobody could tell: a write without an answer that no read showed. */
  readonly #unnamed = new Map<string, Set<StateId>>()

  constructor(history: History) {
    for (const { call } of history)
      if (call.type === 'commit') for (const write of call.writes) this.#add(write)
    for (const operation of history) this.#nameBySight(operation)
    for (const operation of history) this.#nameByAnswer(operation)
    for (const operation of history) this.#collectUnnamed(operation)
  }

  /** The state that a write makes. */
  made({ key, value }: RecordedWrite): StateId {
    return value === null ? absent : (this.#byValue.get(`${key}\n${value}`) ?? impossible)
  }

  expected({ key, expected }: RecordedWrite): StateId {
    return expected === null ? absent : (this.#byRevision.get(`${key}\n${expected}`) ?? impossible)
  }

  /** The state that a read saw; null where it can't be told which of the unnamed ones it is. */
  seen({ key, revision, value }: Seen): StateId | null {
    if (value !== undefined) return this.#byValue.get(`${key}\n${value}`) ?? impossible
    const known = this.#byRevision.get(`${key}\n${revision}`)
    if (known !== undefined) return known
    return (this.#unnamed.get(key)?.size ?? 0) > 0 ? null : impossible
  }

  #add(write: RecordedWrite): void {
    if (write.value === null) return
    const name = `${write.key}\n${write.value}`
    if (this.#byValue.has(name)) throw new Error(`${write.key} is given ${write.value} twice.`)
    this.#byValue.set(name, this.#byValue.size + 1)
  }

  #nameBySight({ outcome }: Operation): void {
    if (outcome?.type !== 'got' && outcome?.type !== 'listed') return
    const all = outcome.type === 'listed' ? outcome.seen : outcome.seen ? [outcome.seen] : []
    for (const seen of all) {
      if (seen.value === undefined) continue
      const state = this.#byValue.get(`${seen.key}\n${seen.value}`)
      if (state === undefined) {
        this.flaws.push(`${seen.key} shows ${seen.value}, which nobody wrote`)
        continue
      }
      const before = this.#shown.get(state)
      if (before !== undefined && before !== seen.revision)
        this.flaws.push(
          `${seen.key} shows ${seen.value} under two revisions, ${before} and ${seen.revision}`,
        )
      this.#shown.set(state, seen.revision)
      this.#name(seen.key, seen.revision, state)
    }
  }

  #nameByAnswer({ call, outcome }: Operation): void {
    if (call.type !== 'commit' || outcome?.type !== 'committed') return
    for (const [index, write] of call.writes.entries()) {
      const revision = outcome.revisions[index]
      if ((revision == null) !== (write.value === null))
        this.flaws.push(`${write.key} was answered ${revision} for ${write.value}`)
      else if (revision != null) this.#name(write.key, revision, this.made(write))
    }
  }

  #name(key: string, revision: string, state: StateId): void {
    const before = this.#byRevision.get(`${key}\n${revision}`)
    if (before !== undefined && before !== state)
      this.flaws.push(`the revision ${revision} of ${key} names two states`)
    this.#byRevision.set(`${key}\n${revision}`, state)
  }

  #collectUnnamed({ call, outcome }: Operation): void {
    if (call.type !== 'commit' || outcome !== null) return
    for (const write of call.writes) {
      const state = this.made(write)
      if (state === absent || this.#shown.has(state)) continue
      const states = this.#unnamed.get(write.key) ?? new Set()
      this.#unnamed.set(write.key, states.add(state))
    }
  }
}

/**
 * A read after the answer shows the same revision as the answer. (Where the state was gone before the answer came,
 * the answer may name it otherwise: nobody will see it again.)
 */
export function renamed(history: History): string[] {
  const answered = new Map<string, { revision: string; at: number }>()
  for (const { call, outcome, returnedAt } of history) {
    if (call.type !== 'commit' || outcome?.type !== 'committed') continue
    for (const [index, { key, value }] of call.writes.entries()) {
      const revision = outcome.revisions[index]
      if (value !== null && revision != null)
        answered.set(`${key}\n${value}`, { revision, at: returnedAt! })
    }
  }
  return history.flatMap(({ outcome, calledAt }) => {
    const all = outcome?.type === 'listed' ? outcome.seen : []
    const seen = outcome?.type === 'got' && outcome.seen ? [outcome.seen] : all
    return seen.flatMap(({ key, value, revision }) => {
      const answer = answered.get(`${key}\n${value}`)
      const isOtherwise = answer && answer.at < calledAt && answer.revision !== revision
      return isOtherwise
        ? [`${key} was answered the revision ${answer.revision}, and then shows ${revision}`]
        : []
    })
  })
}
