import type { Submission } from '../../queue/internal.ts'
import type { Options } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { UsageError } from '../program/usage-error.ts'
import { durationOf, numberOf, wholeOf } from './setting.ts'

const dayMs = 86_400_000
const longMsMax = 36_500 * dayMs
const longHint = 'up to 100 years of 365 days'

/** What says how a task is to be run. */
export const submissionOptions = {
  timeout: { value: 'TIME', about: 'how long one attempt may take, 1s to 7d; 5m if left out' },
  retries: { value: 'N', about: 'how often it is tried again; 3 if left out' },
  at: { value: 'TIME', about: 'not before then: RFC 3339, as 2027-01-31T08:00:00+01:00' },
  delay: { value: 'TIME', about: 'not before so long from now' },
  'retry-initial': { value: 'TIME', about: 'the wait before the first retry; 1s if left out' },
  'retry-max': { value: 'TIME', about: 'the longest wait; 60s if left out' },
  'retry-multiplier': { value: 'N', about: 'by how much each wait is longer; 2 if left out' },
  'retry-jitter': { value: 'N', about: 'how much waits vary, 0 to 1; 0.25 if left out' },
} as const satisfies Options

/** What the options say, but for the input; what can never be is refused. */
export function submissionOf(context: Context): Submission {
  const { args } = context
  return {
    type: args.value('type') ?? '',
    timeoutMs: durationOf(
      context,
      { option: 'timeout' },
      { min: 1_000, max: 7 * dayMs, hint: '1 second to 7 days' },
    ),
    maxRetries: wholeOf(context, { option: 'retries' }, { min: 0, max: 1_000_000 }),
    availableAt: args.value('at'),
    delayMs: durationOf(context, { option: 'delay' }, { max: longMsMax, hint: longHint }),
    retryPolicy: defined({
      initial_interval_ms: waitOf(context, 'retry-initial'),
      max_interval_ms: waitOf(context, 'retry-max'),
      multiplier: numberOf(context, { option: 'retry-multiplier' }, { min: 1, max: 1_000 }),
      jitter_percent: numberOf(context, { option: 'retry-jitter' }, { min: 0, max: 1 }),
    }),
  }
}

const waitOf = (context: Context, option: string): number | undefined =>
  durationOf(context, { option }, { max: longMsMax, hint: longHint })

/** Without what was left out: that has defaults elsewhere. */
const defined = <T>(given: Readonly<Record<string, T | undefined>>): Record<string, T> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

/** An input as it is typed. `where` says which one, where there are several. */
export function parseInput(text: string, where = 'The input'): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UsageError(
      `${where} is not JSON (${(error as Error).message.slice(0, 200)}).`,
      'Give JSON, as \'{"to": "user@example.com"}\' or \'"a text"\'.',
    )
  }
  const number = inexactNumber(text)
  if (number === undefined) return value
  throw new UsageError(
    `${where} has a number that can't be kept exactly: ${number.slice(0, 40)}.`,
    'Give it as a text, in quotes.',
  )
}

/** A whole number with more digits than a number of JavaScript holds, outside of texts. */
function inexactNumber(json: string): string | undefined {
  if (!/\d{16}/.test(json)) return undefined
  const bare = json.replace(/"(?:[^"\\]|\\.)*"/g, '""')
  return bare
    .match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)
    ?.find((digits) => /^-?\d{16,}$/.test(digits) && BigInt(digits) !== BigInt(Number(digits)))
}
