import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { refusal } from '../../../collection/index.ts'
import { UsageError } from '../../program/error.ts'

/** What is to become of a file; nothing has happened yet. */
export interface FileChange {
  readonly path: string
  readonly action: 'none' | 'make' | 'add' | 'replace' | 'remove' | 'delete'
  /** The lines that come or go. */
  readonly text: string
  apply(): void
}

/** The file is not as we left it. */
export class ChangedByHandError extends refusal('ChangedByHandError', 'refused') {}

export const unchanged = (path: string): FileChange => ({
  path,
  action: 'none',
  text: '',
  apply: () => {},
})

/** Writes in place, so that links and permissions stay; null as the content takes the file away. */
export const changed = (
  path: string,
  action: FileChange['action'],
  text: string,
  content: string | null,
): FileChange => ({
  path,
  action,
  text,
  apply() {
    try {
      if (content === null) rmSync(path)
      else writeFileSync(path, content)
    } catch (error) {
      throw new UsageError(
        `${path} can't be written: ${(error as Error).message}.`,
        'Make it writable, or name another.',
      )
    }
  },
})

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Room for any instructions. What a repository brings may be a link to a device that never ends. */
const bytesMax = 1_048_576

/** Null where there is none. */
export function contentOf(path: string): string | null {
  try {
    return utf8.decode(bytesOf(path))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    throw new UsageError(`${path} can't be read: ${message}.`, 'Name a file of UTF-8 text.')
  }
}

function bytesOf(path: string): Uint8Array {
  if (!statSync(path).isFile()) throw new Error('it is no regular file')
  // A pipe that has taken its place must not wait for a writer.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new Error('it is no regular file')
    if (stats.size > bytesMax) throw new Error(`it has more than ${bytesMax} bytes`)
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
