import * as fs from 'node:fs'

/** What tasks say is nobody else's business, whatever the umask. */
export const privateFile = 0o600
export const privateFolder = 0o700

/** What SQLite reads and writes next to a store, unasked; it even obeys the last of them. */
export function companionsOf(path: string): string[] {
  const file = realPathOf(path)
  return ['-wal', '-shm', '-journal'].map((suffix) => file + suffix)
}

/** Where the file of a store really lies, for there its companions are. */
export function realPathOf(path: string): string {
  try {
    return fs.realpathSync.native(path)
  } catch {
    // It is still to be made; behind a link that leads nowhere, it is looked at again once it is there.
    return path
  }
}

/** What tells as much as a store: itself and its backup, and where it really lies, what SQLite keeps next to it. */
const readable = (path: string): string[] => [path, ...companionsOf(path), `${path}.bak`]

/** A file that the user's group, or everybody, can read or write. */
interface OpenFile {
  readonly path: string
  readonly mode: number
  readonly isForAll: boolean
}

/** Of a store and what lies next to it, what is not private. SQLite gives its own files the mode of the store. */
export function openFilesOf(path: string): OpenFile[] {
  return readable(path).flatMap((each) => {
    const mode = modeOf(each)
    return (mode & 0o066) === 0 ? [] : [{ path: each, mode, isForAll: (mode & 0o006) !== 0 }]
  })
}

/** What lies next to a store and may not be read and written by this user; null where nothing is in the way. */
export function closedCompanionOf(path: string): string | null {
  return companionsOf(path).find((each) => !isUsable(each)) ?? null
}

/** By its mode, for opening it would drop the locks that this process has on it. */
function isUsable(path: string): boolean {
  const stats = fs.statSync(path, { throwIfNoEntry: false })
  const user = process.geteuid?.()
  if (!stats || user === undefined || user === 0) return true
  const isOfGroup = stats.gid === process.getegid?.() || process.getgroups?.().includes(stats.gid)
  const bits = stats.uid === user ? 0o600 : isOfGroup ? 0o060 : 0o006
  return (stats.mode & bits) === bits
}

/** 0 for what is not there, and for what can't be looked at: whoever opens it is told why. */
function modeOf(path: string): number {
  try {
    return fs.statSync(path).mode & 0o777
  } catch {
    return 0
  }
}

interface Likeness {
  readonly like: string
  readonly mode?: number
}

/**
 * Makes an empty file that is private from the first instant; without a name that is taken, nothing else is opened. The
 * owner is that of the store it belongs to: root must not take a user's backups away.
 */
export function makePrivateFile(path: string, { like, mode = privateFile }: Likeness): void {
  const descriptor = fs.openSync(path, 'wx', privateFile)
  try {
    const { uid, gid } = fs.statSync(like)
    if (process.geteuid?.() === 0) fs.fchownSync(descriptor, uid, gid)
    // A umask may have taken away what the owner needs.
    fs.fchmodSync(descriptor, mode)
  } finally {
    fs.closeSync(descriptor)
  }
}
