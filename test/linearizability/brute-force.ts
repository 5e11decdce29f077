import type { History, Operation } from './history.ts'
import type { Reads } from './steps.ts'

/** A key's value and the name of its state; the name is null where neither an answer nor a read ever tells it. */
type Entries = ReadonlyMap<string, { readonly value: string; readonly revision: string | null }>

/**
 * The same question as `check`, answered by trying every order: for small histories without lists only, and as
 * plainly as the contract puts it. Shares nothing with the search but the form of a history.
 */
export function isExplained(history: History, reads: Reads = 'current'): boolean {
  const shown = new Map<string, string>()
  for (const { outcome } of history)
    if (outcome?.type === 'got' && outcome.seen)
      shown.set(`${outcome.seen.key} ${outcome.seen.value}`, outcome.seen.revision)
  return extend(history, new Map(), { reads, shown })
}

interface Model {
  readonly reads: Reads
  /** The revisions that reads show, by key and value. */
  readonly shown: ReadonlyMap<string, string>
}

function extend(left: History, entries: Entries, model: Model): boolean {
  if (left.every(({ returnedAt }) => returnedAt === null)) return true
  return left.some((operation) => {
    const mayBeNext = left.every((other) => !isBefore(other, operation, model.reads))
    if (!mayBeNext) return false
    const others = left.filter((other) => other !== operation)
    return outcomesOf(operation, entries, model).some((next) => extend(others, next, model))
  })
}

function isBefore(one: Operation, other: Operation, reads: Reads): boolean {
  if (other.call.type === 'get' && reads === 'past') return false
  return one.returnedAt !== null && one.returnedAt < other.calledAt
}

/** What may be there after it; nothing where it can't have happened now. */
function outcomesOf({ call, outcome }: Operation, entries: Entries, model: Model): Entries[] {
  if (call.type === 'get') {
    const entry = entries.get(call.key)
    const seen = outcome?.type === 'got' ? outcome.seen : null
    if (!seen || !entry) return seen || entry ? [] : [entries]
    return entry.value === seen.value && entry.revision === seen.revision ? [entries] : []
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
    if (value === null) next.delete(key)
    else if (outcome?.type === 'committed')
      next.set(key, { value, revision: outcome.revisions[index]! })
    else next.set(key, { value, revision: model.shown.get(`${key} ${value}`) ?? null })
  }
  return [next]
}
