import type { Task } from '../../queue/internal.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { library, withQueue } from './queue.ts'
import { parseInput, submissionOf, submissionOptions } from './submission.ts'

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
  const { task, isNew } = await withQueue(context, async (queue) => {
    const submitted = await queue.submit(submission)
    return { ...submitted, task: await queue.get(submitted.id) }
  })
  const dead = isNew ? null : deadEnd(task)
  const known = isNew ? '' : ` (already there, by its key${dead ? `; it ${dead.why}` : ''})`
  const lines = [`Task submitted: ${task.id}${known}`]
  if (dead === null) return out.confirm({ kind: 'task', data: task, lines })
  const { next } = dead
  out.confirm({ kind: 'task', data: { ...task, next }, next, lines })
  // Even with --quiet: whoever submits expects the work to be done.
  if (!out.isJson) out.warn(`The task ${dead.why}, so it will not run. ${next}`)
}

/** Why a task that has the key already will not run, and what to do about it; null for one that runs or has run. */
function deadEnd({ id, status, archived_from }: Task): { why: string; next: string } | null {
  const isArchived = status === 'archived'
  const ended = isArchived ? archived_from : status
  if (ended === 'completed' || status === 'pending' || status === 'running') return null
  const why = isArchived ? 'is archived' : status === 'cancelled' ? 'was cancelled' : 'has failed'
  const first = isArchived ? `qo unarchive ${id}, then ` : ''
  return { why, next: `Run it again with ${first}qo replay ${id}, or submit with another key.` }
}
