import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { StoreError } from '../../error.ts'
import { sqliteResult } from './engine.ts'
import { closedCompanionOf } from './modes.ts'

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
    case 'CANTOPEN':
      return cannotOpen(path, error)
    case 'PERM':
    case 'EACCES':
    case 'EPERM':
      return permissionError(path, error)
    case 'ENAMETOOLONG':
      return new StoreError(
        'unknown_url',
        `${path} is too long a path.`,
        'Use a shorter one.',
        error,
      )
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ELOOP':
      return foreignFileError(path, 'a part of its path leads nowhere or to a file', error)
    case 'NOTADB':
      return foreignFileError(path, 'it is no SQLite database', error)
    case 'CORRUPT':
      return new StoreError(
        'damaged',
        `${path} is damaged: ${(error as Error).message}.`,
        'Keep a copy of it and of its -wal file, and restore a backup.',
        error,
      )
    default:
      return error instanceof Error && 'code' in error ? brokenError(path, error) : error
  }
}

/** SQLite does not say which file it can't open, and why; its folder does, and what others have put there. */
function cannotOpen(path: string, error: unknown): StoreError {
  try {
    accessSync(dirname(path), constants.W_OK)
    const closed = closedCompanionOf(path)
    return closed === null ? brokenError(path, error as Error) : sharingError(closed, error)
  } catch (denied) {
    const { code } = denied as NodeJS.ErrnoException
    return code === 'EROFS' ? readOnlyError(path, error) : permissionError(path, error)
  }
}

const brokenError = (path: string, error: Error): StoreError =>
  new StoreError(
    'down',
    `Reading or writing ${path} failed: ${error.message}.`,
    'Check the disk, then do it again.',
    error,
  )

const permissionError = (path: string, cause: unknown): StoreError =>
  new StoreError(
    'permission',
    `${path} or its folder may not be used by this user.`,
    'Change the permissions of both, or name another store.',
    cause,
  )

/** Another user of a shared store has made its log, which has the group of that user. */
const sharingError = (companion: string, cause: unknown): StoreError =>
  new StoreError(
    'permission',
    `${companion}, which belongs to the store, may not be used by this user.`,
    'To share the store, let new files in its folder have the group of the folder (chmod g+s).',
    cause,
  )

const lockedError = (path: string, cause?: unknown): StoreError =>
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

/** Something lies next to a store where SQLite would read or write it. */
export const foreignCompanionError = (companion: string, why: string): StoreError =>
  new StoreError(
    'foreign_file',
    `${companion} is none of the store's: ${why}. Nothing was opened or changed.`,
    'Find out who put it there; move it away while no process has the store open, or name another store.',
  )
