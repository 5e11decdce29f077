import * as fs from 'node:fs'

/** What tasks say is nobody else's business, whatever the umask. */
export const privateFile = 0o600
export const privateFolder = 0o700

/** What lies next to a store, and tells as much as the store: its log, the index of that, the journal, the backup. */
const companions = ['', '-wal', '-shm', '-journal', '.bak']

/** A file that the user's group, or everybody, can read or write. */
export interface OpenFile {
  readonly path: string
  readonly mode: number
  readonly isForAll: boolean
}

/** Of a store and what lies next to it, what is not private. SQLite gives its own files the mode of the store. */
export function openFilesOf(path: string): OpenFile[] {
  return companions.flatMap((suffix) => {
    const mode = modeOf(path + suffix)
    return (mode & 0o066) === 0
      ? []
      : [{ path: path + suffix, mode, isForAll: (mode & 0o006) !== 0 }]
  })
}

/** What lies next to a store and may not be read and written by this user; null where nothing is in the way. */
export function closedCompanionOf(path: string): string | null {
  const inUse = companions.filter((suffix) => suffix.startsWith('-'))
  return inUse.map((suffix) => path + suffix).find((each) => !isUsable(each)) ?? null
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

/**
 * Makes an empty file that is private from the first instant; without a name that is taken, nothing else is opened. The
 * owner is that of the store it belongs to: root must not take a user's backups away.
 */
export function makePrivateFile(path: string, { like }: { like: string }): void {
  const descriptor = fs.openSync(path, 'wx', privateFile)
  try {
    const { uid, gid } = fs.statSync(like)
    if (process.geteuid?.() === 0) fs.fchownSync(descriptor, uid, gid)
    // A umask may have taken away what the owner needs.
    fs.fchmodSync(descriptor, privateFile)
  } finally {
    fs.closeSync(descriptor)
  }
}
