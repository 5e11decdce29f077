import type { Verdict } from './check.ts'
import type { Operation, RecordedWrite, Seen } from './history.ts'
import type { Step } from './steps.ts'

/** How many operations before the one that can't be explained are shown. */
const shownMax = 24

/** What is wrong with a history, for whoever looks for the cause. */
export function reportOf(verdict: Verdict): string {
  switch (verdict.type) {
    case 'linearizable':
      return 'linearizable'
    case 'flawed':
      return [...new Set(verdict.flaws)].join('\n')
    case 'undecided':
      return `undecided after ${verdict.looks} looks at ${verdict.part.steps.length} operations on ${verdict.part.keys.join(', ')}`
    case 'violation':
      return reportOfViolation(verdict)
  }
}

function reportOfViolation({ part, finding }: Extract<Verdict, { type: 'violation' }>): string {
  const { order, stuck } = finding
  const keys = new Set(stuck.touches.map(({ key }) => part.keys[key]))
  const isNear = ({ operation, touches }: Step) =>
    operation.calledAt <= stuck.returnedAt && touches.some(({ key }) => keys.has(part.keys[key]))
  const near = part.steps
    .filter(isNear)
    .sort((a, b) => a.operation.calledAt - b.operation.calledAt)
    .slice(-shownMax)
  const place = new Map(order.map((step, index) => [step, index + 1]))
  const origin = near[0]?.operation.calledAt ?? 0
  const lines = near.map((step) => {
    const mark = step === stuck ? '>' : ' '
    const at = place.get(step)
    return `${mark} ${at === undefined ? '   -' : String(at).padStart(4)}  ${lineOf(step.operation, origin)}`
  })
  return [
    `No order explains the operation marked with > (${order.length} of ${part.steps.length} operations on ${part.keys.join(', ')} could be ordered).`,
    'place  called..answered (µs)  client  operation',
    ...lines,
  ].join('\n')
}

/** One operation on a line; times count from `origin`. */
function lineOf(
  { client, calledAt, returnedAt, call, outcome }: Operation,
  origin: number,
): string {
  const end = returnedAt === null ? 'never' : String(returnedAt - origin)
  return `${calledAt - origin}..${end}  ${client}  ${whatOf(call)} -> ${outcomeOf(outcome)}`
}

function whatOf(call: Operation['call']): string {
  if (call.type === 'get') return `get ${call.key}`
  if (call.type === 'list') return `list ${call.prefix}`
  return `commit ${call.writes.map(writeOf).join(' + ')}`
}

const writeOf = ({ key, expected, value }: RecordedWrite): string =>
  `${key}@${expected ?? 'absent'}=${value ?? 'removed'}`

const seenOf = ({ key, revision, value }: Seen): string => `${key}@${revision}=${value ?? '?'}`

function outcomeOf(outcome: Operation['outcome']): string {
  switch (outcome?.type) {
    case undefined:
      return 'unknown'
    case 'got':
      return outcome.seen ? seenOf(outcome.seen) : 'absent'
    case 'listed':
      return outcome.seen.map(seenOf).join(' ') || 'nothing'
    case 'committed':
      return `revisions ${outcome.revisions.map((each) => each ?? 'none').join(' ')}`
    case 'conflict':
      return 'conflict'
  }
}
