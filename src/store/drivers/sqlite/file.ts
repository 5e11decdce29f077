import { constants } from 'node:fs'
import * as fs from 'node:fs/promises'
import { dirname } from 'node:path'
import { StoreError } from '../../error.ts'
import { foreignFileError } from './failure.ts'
import { applicationId, schemaVersion } from './schema.ts'

/**
 * What lies at the path of a store, found out before SQLite opens it: opening changes a file's
 * journal mode and may add files beside it, and a file that is not ours must stay as it is.
 */
export interface FileState {
  readonly isThere: boolean
  readonly isWritable: boolean
}

const magic = 'SQLite format 3\0'
const headerBytes = 100
const userVersionOffset = 60
const applicationIdOffset = 68

export async function inspectFile(path: string): Promise<FileState> {
  const stats = await statOrNull(path)
  if (!stats) return { isThere: false, isWritable: true }
  if (!stats.isFile())
    throw foreignFileError(path, stats.isDirectory() ? 'it is a folder' : 'it is no plain file')
  // Root may write anything; a file that nobody is meant to write is read-only for root too.
  const isWritable = (stats.mode & 0o222) !== 0 && (await isAccessible(path, constants.W_OK))
  // What crashed before its first commit leaves an empty file, which is as good as none.
  if (stats.size === 0) return { isThere: false, isWritable }
  await checkHeader(path)
  return { isThere: true, isWritable }
}

async function checkHeader(path: string): Promise<void> {
  const header = Buffer.alloc(headerBytes)
  await using file = await fs.open(path)
  await file.read(header, 0, headerBytes, 0)
  if (header.toString('latin1', 0, magic.length) !== magic)
    throw foreignFileError(path, 'it is no SQLite database')
  if (header.readUInt32BE(applicationIdOffset) !== applicationId)
    throw foreignFileError(path, 'it is the SQLite database of another program')
  checkSchemaVersion(path, header.readUInt32BE(userVersionOffset))
}

export function checkSchemaVersion(path: string, version: number): void {
  if (version <= schemaVersion) return
  throw new StoreError(
    'newer_schema',
    `${path} has schema version ${version}; this Holdfast knows versions up to ${schemaVersion}. It was left as it is.`,
    'Use a newer Holdfast.',
  )
}

/** Makes the folders above the file, and sees to it that a power cut does not take them back. */
export async function makeFolders(path: string): Promise<void> {
  const made = await fs.mkdir(dirname(path), { recursive: true })
  if (made === undefined) return
  for (
    let folder = dirname(path);
    folder.length >= dirname(made).length;
    folder = dirname(folder)
  ) {
    await using handle = await fs.open(folder)
    await handle.sync()
    if (folder === dirname(folder)) return
  }
}

/** Which file it is, so that a store can notice that another was put in its place. */
export async function fileIdentity(path: string): Promise<string> {
  const { dev, ino } = await fs.stat(path)
  return `${dev}:${ino}`
}

async function statOrNull(path: string) {
  try {
    return await fs.stat(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    if (code === 'ENOTDIR') throw foreignFileError(path, 'a part of its path is a file', error)
    throw error
  }
}

const isAccessible = (path: string, mode: number): Promise<boolean> =>
  fs.access(path, mode).then(
    () => true,
    () => false,
  )
