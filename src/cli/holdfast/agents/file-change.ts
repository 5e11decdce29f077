import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Refusal } from '../../../collection/index.ts'
import { UsageError } from '../../program/usage-error.ts'

/** What is to become of a file; nothing has happened yet. */
export interface FileChange {
  readonly path: string
  readonly action: 'none' | 'make' | 'add' | 'replace' | 'remove' | 'delete'
  /** The lines that come or go. */
  readonly text: string
  apply(): void
}

/** The file is not as we left it. */
export class ChangedByHandError extends Refusal {
  override readonly name = 'ChangedByHandError'
  readonly kind = 'refused'
}

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

/** Null where there is none. */
export function contentOf(path: string): string | null {
  try {
    return utf8.decode(readFileSync(path))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    throw new UsageError(`${path} can't be read: ${message}.`, 'Name a file of UTF-8 text.')
  }
}
