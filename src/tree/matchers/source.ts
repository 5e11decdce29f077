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

/** Reads a file again when it has changed. */
export class ChangingFile {
  readonly path: string
  #stamp: string | null = null
  #source: Source = { kind: 'absent' }

  constructor(path: string) {
    this.path = path
  }

  /** The same object as the last time, if nothing has changed. */
  read(): Source {
    const stamp = this.#currentStamp()
    if (stamp !== null && stamp === this.#stamp) return this.#source
    const source = this.#load()
    this.#stamp = stamp
    if (!isSame(source, this.#source)) this.#source = source
    return this.#source
  }

  /** Null where a look at the file can't tell whether it has changed. */
  #currentStamp(): string | null {
    try {
      const stat = statSync(this.path, { bigint: true })
      const isFresh = Date.now() - Number(stat.mtimeMs) < tickMs
      return isFresh ? null : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
    } catch {
      return null
    }
  }

  #load(): Source {
    let file: number | undefined
    try {
      // A pipe would wait for its writer.
      if (!statSync(this.path).isFile()) return unreadable('It is no file')
      file = openSync(this.path, 'r')
      if (fstatSync(file).size > fileBytesMax) return unreadable(tooLong)
      return decoded(readUpTo(file, fileBytesMax + 1))
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
      return unreadable(`It can't be read: ${message}`)
    } finally {
      if (file !== undefined) closeSync(file)
    }
  }
}

const tooLong = `The file has more than ${fileBytesMax} bytes`

const unreadable = (why: string, before = ''): Source => ({ kind: 'unreadable', why, before })

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
