import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { library, withQueue } from './queue.ts'
import { parseInput, submissionOf, submissionOptions } from './submission.ts'

export const submit: Command = {
  name: 'submit',
  about: 'add a task to the queue',
  details:
    'The input is JSON; null if left out. With --key the same key is the same task, however often it is submitted. With --batch every line of a file is the input of a task of its own.',
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
  const known = isNew ? '' : ' (already there, by its key)'
  out.confirm({ kind: 'task', data: task, lines: [`Task submitted: ${task.id}${known}`] })
}
