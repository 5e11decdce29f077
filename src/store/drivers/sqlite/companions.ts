import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { foreignCompanionError } from './failure.ts'
import type { FileState } from './file.ts'
import { companionsOf, makePrivateFile, realPathOf } from './modes.ts'

/**
 * Refuses companions that can't be ours, before SQLite opens the file. In a directory where everybody may make files, but nobody
 * may take away another's (such as /tmp), it first takes their names: then nobody can come between this and SQLite. To be
 * called is what gives the journal's name back once the store is open; what was found there stays. In any other
 * directory, anyone who could come between could replace the store itself.
 */
export function judgeCompanions(path: string, { hasLog, isWritable }: FileState): () => void {
  const made: string[] = []
  try {
    if (hasLog && isWritable) takeNames(path, made)
    checkCompanions(path)
    checkJournal(path, hasLog)
  } catch (error) {
    made.forEach(removeEmpty)
    throw error
  }
  return () => made.filter((each) => each.endsWith('-journal')).forEach(removeEmpty)
}

/**
 * Refuses companions that can't be ours. What a directory brings may come with a repository, and in a shared one anybody may have
 * made it: who owns the log reads along, and what a link or a second name leads to is written over. Asked before SQLite
 * opens the file, and once more when it has, for others can make files in between.
 */
export function checkCompanions(path: string): void {
  const store = fs.statSync(path, { throwIfNoEntry: false })
  for (const companion of companionsOf(path)) isThere(companion, store)
}

/** Throws for what is there, but none of ours. */
function isThere(companion: string, store: fs.Stats | undefined): boolean {
  const stats = fs.lstatSync(companion, { throwIfNoEntry: false })
  if (!stats) return false
  const flaw = flawOf(stats, store, dirname(companion))
  if (flaw !== null) throw foreignCompanionError(companion, flaw)
  return true
}

function flawOf(stats: fs.Stats, store: fs.Stats | undefined, folder: string): string | null {
  if (stats.isSymbolicLink()) return 'it is a link'
  if (!stats.isFile()) return 'it is no regular file'
  if (stats.nlink > 1) return 'it has a second name (a hard link)'
  return mayBeFrom(stats, store, folder) ? null : `it belongs to another user (uid ${stats.uid})`
}

/** Whether its owner is this user, root, or someone who may write the store itself. */
function mayBeFrom(stats: fs.Stats, store: fs.Stats | undefined, folder: string): boolean {
  const user = process.geteuid?.()
  if (user === undefined || [user, 0, store?.uid].includes(stats.uid)) return true
  if (!store) return false
  if ((store.mode & 0o002) !== 0) return true
  // A directory may give its group to whatever is made in it: then only who may write there belongs to the group.
  const isOfGroup = (store.mode & 0o020) !== 0 && stats.gid === store.gid
  return isOfGroup && (fs.statSync(folder).mode & 0o002) === 0
}

/** Takes the names that are free, in a directory where that keeps others from them. */
function takeNames(path: string, made: string[]): void {
  const companions = companionsOf(path)
  const { mode } = fs.statSync(dirname(companions[0] as string))
  if ((mode & stickyForAll) !== stickyForAll) return
  for (const each of companions) if (isMade(each, path)) made.push(each)
}

const stickyForAll = 0o1002
/** How often somebody may take away what was in the way before it is looked at. */
const triesMax = 100

/**
 * False where one of ours is there, which nobody can take away. Made empty: an empty log is a log to SQLite, and an empty
 * journal says nothing.
 */
function isMade(companion: string, path: string): boolean {
  const store = fs.statSync(path)
  for (let tries = 0; tries < triesMax; tries++) {
    try {
      makePrivateFile(companion, { like: path, mode: store.mode & 0o777 })
      return true
    } catch (error) {
      // SQLite says what it means that nothing can be made.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false
    }
    if (isThere(companion, store)) return false
  }
  throw foreignCompanionError(companion, 'somebody keeps making and removing it')
}

function removeEmpty(path: string): void {
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.size === 0) fs.rmSync(path, { force: true })
}

const journalMagic = Buffer.from('d9d505f920a163d7', 'hex')
const sectorSizeOffset = 20
const pageSizeOffset = 24
const journalHeaderBytes = 28
/** The largest of both in SQLite. */
const sizeMax = 65_536
/** The number and the checksum of a page that was saved. */
const recordBytes = 8

/**
 * Refuses a rollback journal that we can't have left. SQLite obeys one before anything else: it puts back what it holds, and deletes
 * the file that it names as its super-journal, wherever that lies. Ours is there only while a store is made and while it is
 * switched to a write-ahead log. It names no other file, for we never attach one; and once the file says that it has a log,
 * it holds but the page that says so. A process that dies during the switch leaves that one, so "no journal next to a log"
 * would be too strict.
 */
function checkJournal(path: string, hasLog: boolean): void {
  const journal = `${realPathOf(path)}-journal`
  const descriptor = openOrNull(journal)
  if (descriptor === null) return
  try {
    const { size } = fs.fstatSync(descriptor)
    const [head, tail] = [Buffer.alloc(journalHeaderBytes), Buffer.alloc(journalMagic.length)]
    fs.readSync(descriptor, head, 0, head.length, 0)
    fs.readSync(descriptor, tail, 0, tail.length, Math.max(0, size - tail.length))
    // What ends so, ends with a name. Further checks of SQLite are not repeated: they could come to differ.
    if (tail.equals(journalMagic))
      throw foreignCompanionError(journal, 'it names another file, which SQLite would delete')
    if (
      hasLog &&
      head.subarray(0, journalMagic.length).equals(journalMagic) &&
      size > onePage(head)
    )
      throw foreignCompanionError(journal, 'the store has a write-ahead log instead')
  } finally {
    // SQLite locks no journal, so closing it drops no locks.
    fs.closeSync(descriptor)
  }
}

/** How long a journal of one page is. */
const onePage = (head: Buffer): number =>
  Math.min(head.readUInt32BE(sectorSizeOffset), sizeMax) +
  Math.min(head.readUInt32BE(pageSizeOffset), sizeMax) +
  recordBytes

function openOrNull(path: string): number | null {
  try {
    return fs.openSync(path, openFlags)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

const openFlags = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW
