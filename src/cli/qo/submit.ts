import type { Submission, Task } from '../../queue/internal.ts'
import type { Command, Options } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { UsageError } from '../program/error.ts'
import { withModel } from '../program/model.ts'
import { durationOf, numberOf, wholeOf } from '../program/option-value.ts'
import { library, queueModel } from './queue.ts'

const dayMs = 86_400_000
const longMsMax = 36_500 * dayMs
const longHint = 'up to 100 years of 365 days'

/** What says how a task is to be run. */
const submissionOptions = {
  timeout: { value: 'TIME', about: 'how long one attempt may take, 1s to 7d; 5m if left out' },
  retries: { value: 'N', about: 'how often it is tried again; 3 if left out' },
  at: { value: 'TIME', about: 'not before then: RFC 3339, as 2027-01-31T08:00:00+01:00' },
  delay: { value: 'TIME', about: 'not before so long from now' },
  'retry-initial': { value: 'TIME', about: 'the wait before the first retry; 1s if left out' },
  'retry-max': { value: 'TIME', about: 'the longest wait; 60s if left out' },
  'retry-multiplier': { value: 'N', about: 'factor by which each wait grows (default 2)' },
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

export const submit: Command = {
  name: 'submit',
  about: 'add a task to the queue',
  details:
    'The input is JSON; null if left out. With --key the same key is the same task, however often it is submitted, even after it was cancelled or failed: replay it to run it again. With --batch every line of a file is the input of a task of its own.',
  options: {
    type: { short: 't', value: 'TYPE', about: 'what kind of work it is, as send_email' },
    input: { short: 'i', value: 'JSON', about: 'what there is to work on; - reads it from stdin' },
    file: { value: 'PATH', about: 'read the input from a file', completes: 'files' },
    batch: {
      value: 'PATH',
      about: 'a task for each line of a file, or of stdin with -',
      completes: 'files',
    },
    key: { value: 'KEY', about: 'the idempotency key' },
    id: { value: 'UUID', about: 'the id, where you choose it' },
    ...submissionOptions,
  },
  exclusive: [
    ['at', 'delay'],
    ['input', 'file', 'batch'],
    ['batch', 'key'],
    ['batch', 'id'],
  ],
  examples: [
    'qo submit --type send_email --input \'{"to": "user@example.com"}\'',
    'jq -c .report data.json | qo submit -t report -i - --timeout 10m --retries 5',
    'qo submit -t nightly --at 2027-01-31T02:00:00Z --key nightly-2027-01-31',
    'qo submit -t resize --batch images.ndjson',
  ],
  creates: true,
  async run(context) {
    if (!context.args.has('type'))
      throw context.usageError('There is no type.', 'Give --type TYPE.')
    if (context.args.has('batch')) {
      const { submitBatch } = await import('./batch.ts')
      return submitBatch(context)
    }
    await submitOne(context)
  },
}

async function submitOne(context: Context): Promise<void> {
  const { args, out } = context
  const { checkInput, checkSubmission } = await library()
  const text = await context.readText({ text: args.value('input'), file: args.value('file') })
  const submission = {
    ...submissionOf(context),
    input: text === undefined ? null : parseInput(text),
    idempotencyKey: args.value('key'),
    id: args.value('id'),
  }
  // What can never be stored is refused before there is a store.
  checkSubmission(submission)
  checkInput(submission.input)
  const { task, isNew } = await withModel(context, queueModel, (queue) => queue.ensure(submission))
  const ended = isNew ? null : whyItWillNotRun(task)
  const known = isNew ? '' : ` (already there, by its key${ended ? `; it ${ended.why}` : ''})`
  const lines = [`Task submitted: ${task.id}${known}`]
  if (ended === null) return out.confirm({ kind: 'task', data: task, lines })
  const { next } = ended
  out.confirm({ kind: 'task', data: { ...task, next }, next, lines })
  // Even with --quiet: a submitter expects the work to be done.
  if (!out.isJson) out.warn(`The task ${ended.why}, so it will not run. ${next}`)
}

/** Why a task that has the key already will not run, and what to do about it; null for one that runs or has run. */
function whyItWillNotRun({
  id,
  status,
  archived_from,
}: Task): { why: string; next: string } | null {
  const isArchived = status === 'archived'
  const ended = isArchived ? archived_from : status
  if (ended === 'completed' || status === 'pending' || status === 'running') return null
  const why = isArchived ? 'is archived' : status === 'cancelled' ? 'was cancelled' : 'has failed'
  const first = isArchived ? `qo unarchive ${id}, then ` : ''
  return { why, next: `Run it again with ${first}qo replay ${id}, or submit with another key.` }
}
