import { BadExportError } from './error.ts'
import { lineBytesMax } from './format.ts'

/** A line without its end, and how many there were up to it. */
export interface Line {
  readonly number: number
  readonly bytes: Uint8Array
  /** False for a last line that nothing ends. */
  readonly isEnded: boolean
}

const lineFeed = 0x0a

/** Cuts a stream into lines. No more than one line and one piece of the stream are held at a time. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let number = 0
  let parts: Uint8Array[] = []
  let length = 0
  const taken = (isEnded: boolean): Line => {
    const bytes = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts)
    parts = []
    length = 0
    return { number: ++number, bytes, isEnded }
  }
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(lineFeed, at)
      const part = chunk.subarray(at, end === -1 ? undefined : end)
      parts.push(part)
      length += part.length
      if (length > lineBytesMax)
        throw new BadExportError(
          `Line ${number + 1} has more than ${lineBytesMax} bytes.`,
          'Give a file that "holdfast export" wrote.',
        )
      if (end === -1) break
      yield taken(true)
      at = end + 1
    }
  if (length > 0) yield taken(false)
}
