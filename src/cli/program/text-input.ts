import { createReadStream } from 'node:fs'
import type { Io } from './io.ts'
import { UsageError } from './usage-error.ts'

/** How much is read before it is refused whatever it is; each text has a lower limit of its own. */
const inputBytesMax = 8 * 1024 * 1024

/** Text from where the command line says: `-` is stdin, `--file` a file, anything else the text itself. */
export async function readText(
  io: Io,
  { text, file }: { text?: string | undefined; file?: string | undefined },
): Promise<string | undefined> {
  if (text !== undefined && file !== undefined)
    throw new UsageError('The text was given twice.', 'Give it as an argument or by --file.')
  if (text === '-' || file === '-') return decoded('stdin', io.stdin)
  if (file === undefined) return text
  if (file === '') throw new UsageError('--file names no file.', 'Give a path, or - for stdin.')
  return decoded(file, createReadStream(resolved(io, file)))
}

/** Relative to the working directory of the program, which in tests is not that of the process. */
const resolved = (io: Io, path: string): string =>
  path.startsWith('/') ? path : `${io.cwd()}/${path}`

async function decoded(name: string, chunks: Io['stdin']): Promise<string> {
  const bytes = await collected(name, chunks)
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.replace(/\r?\n$/, '')
  } catch {
    throw new UsageError(`${name} holds no UTF-8 text.`, 'Convert it first.')
  }
}

async function collected(name: string, chunks: Io['stdin']): Promise<Uint8Array> {
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
