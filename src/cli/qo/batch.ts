import { createReadStream, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Submission } from '../../queue/internal.ts'
import type { Context } from '../program/context.ts'
import { UsageError } from '../program/error.ts'
import { withModel } from '../program/model.ts'
import { Progress } from '../program/output.ts'
import { library, queueModel } from './queue.ts'
import { parseInput, submissionOf } from './submit.ts'

/** How many tasks go to the store at a time. */
const chunkTasks = 500
/** An input has fewer; what has more is refused before it fills the memory. */
const lineBytesMax = 1_100_000

interface Lines {
  readonly chunks: AsyncIterable<Uint8Array | string>
  /** Null where nobody knows, as of a pipe. */
  readonly bytes: number | null
}

/** A task for each line. They come in order, and what was said to be submitted is, also where a later line is wrong. */
export async function submitBatch(context: Context): Promise<void> {
  const { checkInput, checkSubmission } = await library()
  const submission = submissionOf(context)
  checkSubmission(submission)
  const { chunks, bytes } = linesIn(context)
  using progress = await Progress.of(context, 'Submitting')
  const ids: string[] = []
  await withModel(context, queueModel, async (queue) => {
    let pending: Submission[] = []
    const flush = async () => {
      const submitted = await queue.submitMany(pending)
      progress.wipe()
      for (const { id } of submitted) {
        ids.push(id)
        if (!context.args.has('quiet')) context.out.say(`Task submitted: ${id}`)
      }
      pending = []
    }
    try {
      for await (const { text, number, read } of numbered(chunks)) {
        const input = parseInput(text, `Line ${number}`)
        checkInput(input)
        pending.push({ ...submission, input })
        if (pending.length >= chunkTasks) await flush()
        progress.at(bytes === null ? ids.length : read, bytes)
      }
      await flush()
    } catch (error) {
      throw ids.length === 0 ? error : await partly(context, error, ids.length)
    }
  })
  if (context.out.isJson)
    context.out.answer({ kind: 'task.list', data: ids.map((id) => ({ id })), lines: [] })
  else context.out.note(`${ids.length} tasks submitted.`)
}

/** Says how many tasks were submitted: submitting again would duplicate them. */
async function partly(context: Context, error: unknown, count: number): Promise<unknown> {
  context.out.warn(`${count} tasks were submitted before this went wrong.`)
  return error
}

function linesIn({ args, io }: Context): Lines {
  const path = args.value('batch') as string
  if (path === '-') return { chunks: io.stdin, bytes: null }
  const file = resolve(io.cwd(), path)
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile() && !stats?.isFIFO())
    throw new UsageError(`There is no file ${path}.`, 'Name a file, or - for stdin.')
  return { chunks: createReadStream(file), bytes: stats.size > 0 ? stats.size : null }
}

/** The lines that are not empty, by their numbers, with how many bytes have been read so far. */
async function* numbered(
  chunks: Lines['chunks'],
): AsyncGenerator<{ text: string; number: number; read: number }> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let [rest, number, read] = ['', 0, 0]
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    read += bytes.byteLength
    const lines = (rest + decoded(decoder, bytes, number + 1)).split('\n')
    rest = lines.pop() as string
    if (rest.length > lineBytesMax)
      throw new UsageError(
        `Line ${number + lines.length + 1} is too long.`,
        'Give one input a line, of 1,000,000 bytes at most.',
      )
    for (const text of lines) {
      number++
      if (text.trim() !== '') yield { text, number, read }
    }
  }
  if (rest.trim() !== '') yield { text: rest, number: number + 1, read }
}

function decoded(
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Uint8Array,
  number: number,
): string {
  try {
    return decoder.decode(bytes, { stream: true })
  } catch {
    throw new UsageError(`Line ${number} or one after it is no UTF-8 text.`, 'Convert it first.')
  }
}
