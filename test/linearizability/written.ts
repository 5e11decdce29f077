import type { Operation, RecordedWrite, Seen } from './history.ts'

/** `[called, answered]` in any unit; answered null where the answer never came. */
type Times = readonly [calledAt: number, returnedAt: number | null]

let clients = 0

const operation = (
  [calledAt, returnedAt]: Times,
  call: Operation['call'],
  outcome: Operation['outcome'],
): Operation => ({ client: `c${++clients}`, calledAt, returnedAt, call, outcome })

/** What a read shows of a key that holds a value: values name their revisions in histories that are written by hand. */
export const seenAs = (key: string, value: string): Seen => ({ key, revision: `r-${value}`, value })

export const write = (key: string, from: string | null, value: string | null): RecordedWrite => ({
  key,
  expected: from === null ? null : `r-${from}`,
  value,
})

export const got = (times: Times, key: string, value: string | null): Operation =>
  operation(
    times,
    { type: 'get', key },
    { type: 'got', seen: value === null ? null : seenAs(key, value) },
  )

export const committed = (times: Times, ...writes: readonly RecordedWrite[]): Operation =>
  operation(
    times,
    { type: 'commit', writes },
    { type: 'committed', revisions: writes.map(({ value }) => value && `r-${value}`) },
  )

export const conflict = (times: Times, ...writes: readonly RecordedWrite[]): Operation =>
  operation(times, { type: 'commit', writes }, { type: 'conflict' })

export const unanswered = (calledAt: number, ...writes: readonly RecordedWrite[]): Operation =>
  operation([calledAt, null], { type: 'commit', writes }, null)

export const listed = (
  times: Times,
  keys: readonly string[],
  ...seen: readonly Seen[]
): Operation => operation(times, { type: 'list', prefix: 'ns', keys }, { type: 'listed', seen })
