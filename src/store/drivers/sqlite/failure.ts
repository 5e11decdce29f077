import { StoreError } from '../../error.ts'
import { sqliteResult } from './engine.ts'

/** What a failure of SQLite or of the file system means to a caller. Nothing was written. */
export function storeErrorOf(error: unknown, path: string): unknown {
  if (error instanceof StoreError) return error
  switch (sqliteResult(error) ?? (error as NodeJS.ErrnoException).code) {
    case 'BUSY':
    case 'LOCKED':
      return lockedError(path, error)
    case 'FULL':
    case 'ENOSPC':
    case 'EDQUOT':
      return new StoreError(
        'disk_full',
        `No space is left for ${path}; nothing was written.`,
        'Free some space, then do it again.',
        error,
      )
    case 'READONLY':
    case 'EROFS':
      return readOnlyError(path, error)
    case 'PERM':
    case 'CANTOPEN':
    case 'EACCES':
    case 'EPERM':
      return new StoreError(
        'permission',
        `${path} or its folder may not be used by this user.`,
        'Change the permissions of both, or name another store.',
        error,
      )
    case 'NOTADB':
      return foreignFileError(path, 'it is no SQLite database', error)
    case 'CORRUPT':
      return new StoreError(
        'damaged',
        `${path} is damaged: ${(error as Error).message}.`,
        'Keep a copy of it and of its -wal file, and restore a backup.',
        error,
      )
    case 'IOERR':
      return new StoreError(
        'down',
        `Reading or writing ${path} failed: ${(error as Error).message}.`,
        'Check the disk, then do it again.',
        error,
      )
    default:
      return error
  }
}

export const lockedError = (path: string, cause?: unknown): StoreError =>
  new StoreError(
    'locked',
    `Another process kept ${path} locked for too long; nothing was written.`,
    'Try again, or end the process that holds it.',
    cause,
  )

export const readOnlyError = (path: string, cause?: unknown): StoreError =>
  new StoreError(
    'read_only',
    `${path} is read-only; nothing was written.`,
    'Make it and its folder writable, or name another store.',
    cause,
  )

export const foreignFileError = (path: string, why: string, cause?: unknown): StoreError =>
  new StoreError(
    'foreign_file',
    `${path} is not a Holdfast store: ${why}. It was left as it is.`,
    'Name another path.',
    cause,
  )
