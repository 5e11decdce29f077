import type { History, Operation } from './history.ts'
import type { Reads } from './steps.ts'

/** A key's value and the name of its state; the name is null where the answer that would tell it never came. */
type Entries = ReadonlyMap<string, { readonly value: string; readonly revision: string | null }>

/**
 * The same question as `check`, answered by trying every order: for small histories without lists only, and as
 * plainly as the contract puts it. Shares nothing with the search but the form of a history.
 */
export function isExplained(history: History, reads: Reads = 'current'): boolean {
  return extend(history, new Map(), reads)
}

function extend(left: History, entries: Entries, reads: Reads): boolean {
  if (left.every(({ returnedAt }) => returnedAt === null)) return true
  return left.some((operation) => {
    const mayBeNext = left.every((other) => !isBefore(other, operation, reads))
    if (!mayBeNext) return false
    const others = left.filter((other) => other !== operation)
    return outcomesOf(operation, entries).some((next) => extend(others, next, reads))
  })
}

function isBefore(one: Operation, other: Operation, reads: Reads): boolean {
  if (other.call.type === 'get' && reads === 'past') return false
  return one.returnedAt !== null && one.returnedAt < other.calledAt
}

/** What may be there after it; nothing where it can't have happened now. */
function outcomesOf({ call, outcome }: Operation, entries: Entries): Entries[] {
  if (call.type === 'get') {
    const entry = entries.get(call.key)
    const seen = outcome?.type === 'got' ? outcome.seen : null
    if (!seen || !entry) return seen || entry ? [] : [entries]
    if (entry.value !== seen.value || (entry.revision ?? seen.revision) !== seen.revision) return []
    return [new Map(entries).set(call.key, { value: seen.value, revision: seen.revision })]
  }
  if (call.type !== 'commit') throw new Error('Lists are not for this.')
  const holds = call.writes.every(
    ({ key, expected }) =>
      (entries.get(key)?.revision ?? null) === expected && (expected !== null || !entries.has(key)),
  )
  if (outcome?.type === 'conflict') return holds ? [] : [entries]
  if (!holds) return []
  const next = new Map(entries)
  for (const [index, { key, value }] of call.writes.entries()) {
    const revision = outcome?.type === 'committed' ? outcome.revisions[index]! : null
    if (value === null) next.delete(key)
    else next.set(key, { value, revision })
  }
  return [next]
}
