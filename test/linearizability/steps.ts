import type { History, Operation } from './history.ts'
import { absent, type StateId, type States } from './states.ts'

/**
 * Which reads a store promises. `current`: a read shows a state from between its call and its answer. `past`: it may show
 * any state that the key has had before the answer.
 */
export type Reads = 'current' | 'past'

export interface ReadModel {
  readonly reads: Reads
  /** From then on, nothing goes wrong any more and every read is current. */
  readonly calmAt?: number
}

/** What an operation looks at, and what it leaves, on one key of its part. */
interface Touch {
  readonly key: number
  readonly expects: StateId
  readonly becomes: StateId
}

/** One operation as the sequential specification takes it: it happens at one moment between its call and its return. */
export interface Step {
  readonly operation: Operation
  readonly calledAt: number
  /** Infinity where it may happen at any later time, or never. */
  readonly returnedAt: number
  /** `read` and `conflict` change nothing. */
  readonly type: 'read' | 'conflict' | 'write'
  readonly touches: readonly Touch[]
}

/** Operations that can be ordered without a look at any others, for they share no key with them. */
export interface Part {
  readonly keys: readonly string[]
  readonly steps: readonly Step[]
}

/** Splits a history by sets of keys that commits connect. */
export function partsOf(history: History, states: States, model: ReadModel): Part[] {
  const leaders = new Map<string, string>()
  const leader = (key: string): string => {
    const next = leaders.get(key) ?? key
    return next === key ? key : leader(next)
  }
  for (const { call } of history)
    if (call.type === 'commit')
      for (const { key } of call.writes) leaders.set(leader(key), leader(call.writes[0]!.key))
  const parts = new Map<string, { keys: string[]; steps: Step[] }>()
  const partOf = (key: string) => {
    const part = parts.get(leader(key)) ?? { keys: [], steps: [] }
    parts.set(leader(key), part)
    if (!part.keys.includes(key)) part.keys.push(key)
    return { part, index: part.keys.indexOf(key) }
  }
  for (const operation of history) {
    const { call } = operation
    if (call.type === 'commit') {
      if (call.writes.length === 0) continue
      const touches = call.writes.map((write) => ({
        key: partOf(write.key).index,
        expects: states.expected(write),
        becomes: states.made(write),
      }))
      const type = operation.outcome?.type === 'conflict' ? 'conflict' : 'write'
      partOf(call.writes[0]!.key).part.steps.push(stepOf(operation, type, touches, model))
    } else
      for (const { key, state } of sightsOf(operation, states)) {
        const { part, index } = partOf(key)
        const touch = { key: index, expects: state, becomes: state }
        part.steps.push(stepOf(operation, 'read', [touch], model))
      }
  }
  return [...parts.values()]
}

function stepOf(
  operation: Operation,
  type: Step['type'],
  touches: readonly Touch[],
  { reads, calmAt = Number.POSITIVE_INFINITY }: ReadModel,
): Step {
  const isPast = type === 'read' && reads === 'past' && operation.calledAt < calmAt
  return {
    operation,
    calledAt: isPast ? Number.NEGATIVE_INFINITY : operation.calledAt,
    returnedAt: operation.returnedAt ?? Number.POSITIVE_INFINITY,
    type,
    touches,
  }
}

/** A list reads each key at some moment of its own, and so does it where it shows that a key is absent. */
function sightsOf({ call, outcome }: Operation, states: States): { key: string; state: StateId }[] {
  if (call.type === 'get' && outcome?.type === 'got') {
    const state = outcome.seen ? states.seen(outcome.seen) : absent
    return state === null ? [] : [{ key: call.key, state }]
  }
  if (call.type !== 'list' || outcome?.type !== 'listed') return []
  const seen = new Map(outcome.seen.map((each) => [each.key, each]))
  return call.keys.flatMap((key) => {
    const shown = seen.get(key)
    const state = shown ? states.seen(shown) : absent
    return state === null ? [] : [{ key, state }]
  })
}
