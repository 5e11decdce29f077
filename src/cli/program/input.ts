import { createReadStream } from 'node:fs'
import { kinds } from '../../collection/index.ts'
import { oneLine } from '../../terminal/index.ts'
import type { Context } from './context.ts'
import { UsageError } from './error.ts'
import type { Io } from './io.ts'

/** How much is read before it is refused whatever it is; each text has a lower limit of its own. */
const inputBytesMax = 8 * 1024 * 1024

/** Text from where the command line says: `-` is stdin, `--file` a file, anything else the text itself. */
export async function readText(
  io: Io,
  { text, file }: { text?: string | undefined; file?: string | undefined },
): Promise<string | undefined> {
  if (text !== undefined && file !== undefined)
    throw new UsageError('The text was given twice.', 'Give it as an argument or by --file.')
  if (text === '-' || file === '-') return decodedText('stdin', io.stdin)
  if (file === undefined) return text
  if (file === '') throw new UsageError('--file names no file.', 'Give a path, or - for stdin.')
  return decodedText(file, createReadStream(resolvedPath(io, file)))
}

/** Relative to the working directory of the program, which in tests is not that of the process. */
const resolvedPath = (io: Io, path: string): string =>
  path.startsWith('/') ? path : `${io.cwd()}/${path}`

async function decodedText(name: string, chunks: Io['stdin']): Promise<string> {
  const bytes = await collectedBytes(name, chunks)
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.replace(/\r?\n$/, '')
  } catch {
    throw new UsageError(`${name} holds no UTF-8 text.`, 'Convert it first.')
  }
}

async function collectedBytes(name: string, chunks: Io['stdin']): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of chunks) {
      const part = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      length += part.length
      if (length > inputBytesMax) break
      parts.push(part)
    }
  } catch (error) {
    throw new UsageError(
      `${name} can't be read: ${(error as Error).message}.`,
      'Name another file.',
    )
  }
  if (length <= inputBytesMax) return Buffer.concat(parts)
  throw new UsageError(`${name} holds more than ${inputBytesMax} bytes.`, 'Give less.')
}

export const yesOption = { yes: { short: 'y', about: 'do not ask, also on a terminal' } } as const

/** What is asked, and what is said where the answer is no. */
interface Question {
  /** What to read before answering, a line each. */
  readonly lines?: readonly string[]
  readonly question: string
  readonly declined: string
}

/** Whether to go on: asks where a person would see it, and nowhere else. */
export async function isConfirmed(
  context: Context,
  asked: () => Promise<Question>,
): Promise<boolean> {
  const { out, io } = context
  if (!(await isAsked(context))) return true
  const { lines = [], question, declined } = await asked()
  for (const line of lines) io.stdout.write(`${line}\n`)
  io.stdout.write(`${oneLine(question)} [y/N] `)
  if (/^\s*y(es)?\s*$/i.test(await firstLine(io.stdin))) return true
  out.note(declined)
  context.exitCode = kinds.refused.exit
  return false
}

/** Whether a person is there to answer. */
export const isAsked = async ({ args, out, io }: Context): Promise<boolean> =>
  !args.has('yes') && (await out.isForEyes()) && (await io.isInputTerminal())

async function firstLine(chunks: AsyncIterable<Uint8Array | string>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    if (text.includes('\n')) break
  }
  return text.split('\n')[0] as string
}
