import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { StoreError } from '../../error.ts'
import { foreignFileError } from './failure.ts'
import { privateFile, privateFolder, realPathOf } from './modes.ts'
import { applicationId, schemaVersion } from './schema.ts'

// All of it is done at once: opening waits for nothing else, and programs that run for a moment start faster.

/**
 * What lies at the path of a store, found out before SQLite opens it: opening changes a file's
 * journal mode and may add files beside it, and a file that is not ours must stay as it is.
 */
export interface FileState {
  /** Whether a store is there; an empty file is as good as none. */
  readonly isThere: boolean
  readonly isEmpty: boolean
  readonly isWritable: boolean
  /** Whether its header says that it has a write-ahead log. */
  readonly hasLog: boolean
}

const magic = 'SQLite format 3\0'
const headerBytes = 100
/** What stands for a write-ahead log where the header says how the file is to be read. */
const logVersion = 2
const readVersionOffset = 19
const userVersionOffset = 60
const applicationIdOffset = 68

export function inspectFile(path: string): FileState {
  const stats = statOrNull(path)
  if (!stats) return { isThere: false, isEmpty: false, isWritable: true, hasLog: false }
  if (!stats.isFile())
    throw foreignFileError(path, stats.isDirectory() ? 'it is a folder' : 'it is no plain file')
  // Root may write anything; a file that nobody is meant to write is read-only for root too.
  const isWritable = (stats.mode & 0o222) !== 0 && isAccessible(path, fs.constants.W_OK)
  // What crashed before its first commit leaves an empty file, which is as good as none.
  if (stats.size === 0) return { isThere: false, isEmpty: true, isWritable, hasLog: false }
  const hasLog = hasLogByHeader(path, identityOf(stats))
  return { isThere: true, isEmpty: false, isWritable, hasLog }
}

/** Commits that lie in a write-ahead log are lost when a new file is laid over it. */
export function refuseOrphanedLog(path: string): void {
  const log = statOrNull(`${realPathOf(path)}-wal`)
  if (!log || log.size === 0) return
  throw new StoreError(
    'damaged',
    `${path} is missing or empty, but ${path}-wal holds commits to it. Both were left as they are.`,
    'Put the file back beside its log, or move the log away to start anew.',
  )
}

/**
 * Files that were looked into, by identity. They stay open as long as the process: closing any
 * descriptor of a file drops every POSIX lock that the process holds on it, SQLite's included.
 */
const looked = new Map<string, number>()

/** Throws for a file that is not ours. */
function hasLogByHeader(path: string, identity: string): boolean {
  const header = Buffer.alloc(headerBytes)
  const descriptor = looked.get(identity) ?? fs.openSync(path, 'r')
  looked.set(identity, descriptor)
  fs.readSync(descriptor, header, 0, headerBytes, 0)
  if (header.toString('latin1', 0, magic.length) !== magic)
    throw foreignFileError(path, 'it is no SQLite database')
  if (header.readUInt32BE(applicationIdOffset) !== applicationId)
    throw foreignFileError(path, 'it is the SQLite database of another program')
  checkSchemaVersion(path, header.readUInt32BE(userVersionOffset))
  return header[readVersionOffset] === logVersion
}

export function checkSchemaVersion(path: string, version: number): void {
  if (version <= schemaVersion) return
  throw new StoreError(
    'newer_schema',
    `${path} has schema version ${version}; this Holdfast knows versions up to ${schemaVersion}. It was left as it is.`,
    'Use a newer Holdfast.',
  )
}

const made: number[] = []

/**
 * Makes the file of a new store, for SQLite would make it as the umask says; its log and journal get the mode of it. The
 * descriptor stays open like those of files that were looked into. What another process of this user has made meanwhile is
 * taken, and what another user has put there is not.
 */
export function makeFile(path: string, { isEmpty }: FileState): void {
  const { O_CREAT, O_RDWR, O_NOFOLLOW } = fs.constants
  const isLink = fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  const flags = O_CREAT | O_RDWR | (isLink ? 0 : O_NOFOLLOW)
  const descriptor = fs.openSync(path, flags, privateFile)
  made.push(descriptor)
  const { uid } = fs.fstatSync(descriptor)
  const user = process.geteuid?.()
  if (isEmpty || user === undefined || uid === user || uid === 0) return
  throw foreignFileError(path, `another user (uid ${uid}) has just made it`)
}

/**
 * Makes the folders above the file, and sees to it that a power cut does not take them back. One by one:
 * Node's own recursion never ends where a file system says that a folder is not there and can't be made.
 */
export function makeFolders(path: string): void {
  const folder = dirname(path)
  if (statOrNull(folder) || folder === dirname(folder)) return
  makeFolders(folder)
  try {
    fs.mkdirSync(folder, privateFolder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const above = fs.openSync(dirname(folder), 'r')
  try {
    fs.fsyncSync(above)
  } finally {
    fs.closeSync(above)
  }
}

/** Which file it is, so that a store can notice that another was put in its place. */
export const identityOf = ({ dev, ino }: { dev: number; ino: number }): string => `${dev}:${ino}`

/** Null where nothing is. */
export function identityAt(path: string): string | null {
  const stats = fs.statSync(path, { throwIfNoEntry: false })
  return stats ? identityOf(stats) : null
}

function statOrNull(path: string): fs.Stats | null {
  try {
    return fs.statSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    if (code === 'ENOTDIR') throw foreignFileError(path, 'a part of its path is a file', error)
    throw error
  }
}

function isAccessible(path: string, mode: number): boolean {
  try {
    fs.accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
