import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'

/** Room for some hundred matchers. What is nested or wrong in every character still takes but a second. */
export const fileBytesMax = 65_536

/**
 * How long a file that was just written is read again although it looks the same. Two changes within one tick of the
 * file system's clock can leave time and size as they were; two seconds is the coarsest tick there is.
 */
const tickMs = 2_000

/** What was found at the path of the file. */
export type Source =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  /** There is something, but it can't be read. */
  | { readonly kind: 'unreadable'; readonly why: string; readonly before: string }
  /** It may not be used, whatever it says. */
  | { readonly kind: 'refused'; readonly why: string }

/** What a reader makes of the file. */
export type MatcherReading =
  | Extract<Source, { kind: 'absent' | 'refused' }>
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'unreadable'; readonly why: string }

/** Reads the file of matchers. One of one's own may judge what it reads, and refuse it. */
export interface MatcherReader {
  /** What the file holds, or why it may not be used. */
  read(path: string): MatcherReading
  /** What else the judgment depends on: the file is read again when this changes. */
  stamp(): string
}

/** Reads a file again when it has changed. */
export class ChangingFile {
  readonly path: string
  readonly #reader: MatcherReader
  #stamp: string | null = null
  #source: Source = { kind: 'absent' }

  constructor(path: string, reader: MatcherReader = anyFile) {
    this.path = path
    this.#reader = reader
  }

  /** The same object as the last time, if nothing has changed. */
  read(): Source {
    const stamp = this.#currentStamp()
    if (stamp !== null && stamp === this.#stamp) return this.#source
    const source = sourceOf(this.#reader.read(this.path))
    this.#stamp = stamp
    if (!isSame(source, this.#source)) this.#source = source
    return this.#source
  }

  /** Null where a look at the file can't tell whether it has changed. */
  #currentStamp(): string | null {
    try {
      const stat = statSync(this.path, { bigint: true })
      const isFresh = Date.now() - Number(stat.mtimeMs) < tickMs
      const parts = [
        stat.dev,
        stat.ino,
        stat.size,
        stat.mtimeNs,
        stat.ctimeNs,
        this.#reader.stamp(),
      ]
      return isFresh ? null : parts.join(' ')
    } catch {
      return null
    }
  }
}

/** Refuses nothing that can be read. */
const anyFile: MatcherReader = { read: readFile, stamp: () => '' }

function readFile(path: string): MatcherReading {
  let file: number | undefined
  try {
    // A pipe would wait for its writer.
    if (!statSync(path).isFile()) return { kind: 'unreadable', why: 'It is no file' }
    file = openSync(path, 'r')
    if (fstatSync(file).size > fileBytesMax) return { kind: 'unreadable', why: tooLong }
    return { kind: 'bytes', bytes: readUpTo(file, fileBytesMax + 1) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
    return { kind: 'unreadable', why: `It can't be read: ${message}` }
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

const tooLong = `The file has more than ${fileBytesMax} bytes`

/** Files such as those of /proc say that they are empty, so the size is not asked for. */
function readUpTo(file: number, bytesMax: number): Uint8Array {
  const bytes = new Uint8Array(bytesMax)
  let length = 0
  while (length < bytesMax) {
    const count = readSync(file, bytes, length, bytesMax - length, null)
    if (count === 0) break
    length += count
  }
  return bytes.subarray(0, length)
}

function sourceOf(reading: MatcherReading): Source {
  if (reading.kind === 'unreadable') return unreadable(reading.why)
  return reading.kind === 'bytes' ? decoded(reading.bytes) : reading
}

const unreadable = (why: string, before = ''): Source => ({ kind: 'unreadable', why, before })

function decoded(bytes: Uint8Array): Source {
  if (bytes.length > fileBytesMax) return unreadable(tooLong)
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    const [before = ''] = new TextDecoder().decode(bytes).split('\uFFFD', 1)
    return unreadable('The file is no UTF-8', before)
  }
}

const isSame = (a: Source, b: Source): boolean => JSON.stringify(a) === JSON.stringify(b)
