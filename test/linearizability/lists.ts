import type { History, Operation } from './history.ts'
import { absent, type StateId, type States } from './states.ts'

/** What is wrong with lists: keys out of order or twice, and untouched keys that are missing or shown otherwise. */
export function flawsOfLists(history: History, states: States): string[] {
  return history.flatMap((list) => [
    ...flawsOfOrder(list),
    ...flawsOfUntouched(history, list, states),
  ])
}

/** Keys ascend by their bytes, so none stands there twice. */
function flawsOfOrder({ client, calledAt, outcome }: Operation): string[] {
  if (outcome?.type !== 'listed') return []
  return outcome.seen.flatMap(({ key }, index) => {
    const before = outcome.seen[index - 1]?.key
    return before === undefined || Buffer.compare(Buffer.from(before), Buffer.from(key)) < 0
      ? []
      : [`the list of ${client} at ${calledAt} gives ${key} after ${before}`]
  })
}

/** A key that nobody can have touched while the list ran appears exactly once, in the state that it is in. */
function flawsOfUntouched(history: History, list: Operation, states: States): string[] {
  const { call, outcome, client, calledAt } = list
  if (call.type !== 'list' || outcome?.type !== 'listed') return []
  return call.keys.flatMap((key) => {
    const state = settled(history, key, list, states)
    if (state === null) return []
    const shown = outcome.seen.filter((each) => each.key === key)
    const isRight =
      state === absent ? shown.length === 0 : shown.length === 1 && states.seen(shown[0]!) === state
    if (isRight) return []
    const found = shown.map(({ revision }) => revision).join() || 'no'
    return [
      `the list of ${client} at ${calledAt} gives ${found} revision of ${key}, untouched meanwhile`,
    ]
  })
}

/** The state of a key during an operation; null where a commit may have touched it by then. */
function settled(
  history: History,
  key: string,
  { calledAt, returnedAt }: Operation,
  states: States,
): StateId | null {
  const made = new Set<StateId>()
  const replaced = new Set<StateId>()
  for (const { call, outcome, ...times } of history) {
    if (call.type !== 'commit' || outcome?.type === 'conflict') continue
    const write = call.writes.find((each) => each.key === key)
    if (!write || times.calledAt > returnedAt!) continue
    if (times.returnedAt === null || times.returnedAt >= calledAt) return null
    made.add(states.made(write))
    replaced.add(states.expected(write))
  }
  return [...made].find((state) => state !== absent && !replaced.has(state)) ?? absent
}
