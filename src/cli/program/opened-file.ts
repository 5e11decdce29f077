import * as fs from 'node:fs'
import { readlinkSync, realpathSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { SettingsError, TrustError } from './error.ts'

/** A settings file as it was read. The bytes that are judged are the bytes that are used. */
export interface OpenedFile {
  /** As it was looked for. */
  readonly path: string
  /** With all links followed. */
  readonly realPath: string
  readonly bytes: Uint8Array
  /** Whether every user of the machine may write it. */
  readonly isForAll: boolean
}

/** What was found at the path of a settings file. */
type Opened =
  | { readonly kind: 'absent' }
  | { readonly kind: 'read'; readonly file: OpenedFile }
  | { readonly kind: 'unreadable'; readonly why: string }
  /** It belongs to neither this user nor root. */
  | Foreign

interface Foreign {
  readonly kind: 'foreign'
  readonly what: string
  readonly next: string
}

/** Room for some hundred settings; what is nested in every character still takes but a second. */
const settingsBytesMax = 65_536

/**
 * Reads a settings file that anybody may have put there. Only a regular file of this user or of root is read, and only so
 * much of it. One descriptor is opened, judged and read, so nothing can take the file's place in between.
 */
export function openSettings(path: string, bytesMax = settingsBytesMax): Opened {
  let descriptor: number | undefined
  try {
    const link = foreignLinkTo(path)
    if (link) return link
    const realPath = fs.realpathSync(path)
    // Opening a device can have effects of its own.
    const found = refusalOf(path, fs.statSync(realPath))
    if (found) return found
    descriptor = fs.openSync(realPath, openFlags)
    const stats = fs.fstatSync(descriptor)
    const opened = refusalOf(path, stats)
    if (opened) return opened
    const bytes = readUpTo(descriptor, bytesMax + 1)
    if (bytes.length > bytesMax)
      return { kind: 'unreadable', why: `it has more than ${bytesMax} bytes` }
    return { kind: 'read', file: { path, realPath, bytes, isForAll: (stats.mode & 0o002) !== 0 } }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
    return { kind: 'unreadable', why: message }
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}

/** A pipe must not wait for its writer, and a terminal not become this process's own. */
const openFlags =
  fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW | fs.constants.O_NOCTTY

/** The same for who can't go on with a file that is refused; null where there is none. */
export function settingsAt(path: string, bytesMax?: number): OpenedFile | null {
  const opened = openSettings(path, bytesMax)
  if (opened.kind === 'absent') return null
  if (opened.kind === 'read') return opened.file
  if (opened.kind === 'foreign') throw new TrustError(opened.what, opened.next)
  throw new SettingsError(`${path} can't be read: ${opened.why}.`, nextFor(opened.why))
}

/** Where a folder on the way may not even be searched, there may be no file to correct. */
const nextFor = (why: string): string =>
  why.startsWith('EACCES')
    ? 'Allow yourself to read it, or work in another directory.'
    : 'Correct it, or move it away.'

/** Throws a TrustError for a folder of another user. */
export function checkFolderOwner(path: string): void {
  const stats = fs.statSync(path)
  const found = foreignLinkTo(path) ?? (isForeign(stats) ? foreign(path, stats) : null)
  if (found) throw new TrustError(found.what, found.next)
}

/** The owner of a link on the way decides where the path ends, so each must belong to this user or root. */
function foreignLinkTo(path: string): Foreign | null {
  const stats = fs.lstatSync(path)
  if (isForeign(stats)) return foreign(path, stats)
  let found: Foreign | null = null
  if (stats.isSymbolicLink())
    withLinksFollowed(path, (link) => {
      const linkStats = fs.lstatSync(link)
      if (isForeign(linkStats)) found ??= foreign(link, linkStats)
    })
  return found
}

/** Which other user a file belongs to; null where it is this user's or root's, or can't be looked at. */
export function foreignOwnerOf(path: string): number | null {
  try {
    const stats = fs.statSync(path)
    return isForeign(stats) ? stats.uid : null
  } catch {
    // Opening it says why it can't be used.
    return null
  }
}

function refusalOf(path: string, stats: fs.Stats): Opened | null {
  if (isForeign(stats)) return foreign(path, stats)
  if (stats.isFile()) return null
  return { kind: 'unreadable', why: `it is ${kindOf(stats)}` }
}

/** Systems without user ids have no owners to compare. */
function isForeign({ uid }: fs.Stats): boolean {
  const own = process.getuid?.()
  return own !== undefined && uid !== own && uid !== 0
}

const foreign = (path: string, { uid }: fs.Stats): Foreign => ({
  kind: 'foreign',
  what: `${path} belongs to another user (uid ${uid}).`,
  next: 'Only files that you or root own count, trusted or not. Make your own, there or in a directory closer to you.',
})

function kindOf(stats: fs.Stats): string {
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a pipe'
  if (stats.isSocket()) return 'a socket'
  return 'a device'
}

/** Files such as those of /proc say that they are empty, so the size is not asked for. */
function readUpTo(descriptor: number, bytesMax: number): Uint8Array {
  const bytes = new Uint8Array(bytesMax)
  let length = 0
  while (length < bytesMax) {
    const count = fs.readSync(descriptor, bytes, length, bytesMax - length, null)
    if (count === 0) break
    length += count
  }
  return bytes.subarray(0, length)
}

/** As many as Linux follows. */
const linksMax = 40

/**
 * Whether a file lies inside a folder once all links are followed, also where neither is there yet. One with a second name (a
 * hard link) may be a file from anywhere.
 */
export function isFileInside(path: string, folder: string): boolean {
  const real = withLinksFollowed(path)
  if (real === null || hasSecondName(real)) return false
  const above = realFolder(folder)
  return real.startsWith(above.endsWith('/') ? above : `${above}/`)
}

/**
 * Where a path leads, also where nothing is there yet: a store is made at the end of a link that leads nowhere. Each `..`
 * is taken after the links before it, as the system does. Null where it can't be told. Calls `meet` with every link.
 */
export function withLinksFollowed(
  path: string,
  meet: (link: string) => void = () => {},
): string | null {
  if (!isAbsolute(path)) return null
  const rest = path.split('/')
  let at = '/'
  for (let links = 0; rest.length > 0; ) {
    const name = rest.shift() as string
    const next = join(at, name)
    const target = /^\.{0,2}$/.test(name) ? null : linkAt(next)
    if (target === null) {
      at = next
      continue
    }
    if (++links > linksMax) return null
    meet(next)
    if (isAbsolute(target)) at = '/'
    rest.unshift(...target.split('/'))
  }
  return at
}

function hasSecondName(path: string): boolean {
  try {
    const stats = fs.statSync(path)
    return stats.isFile() && stats.nlink > 1
  } catch {
    return false
  }
}

/** What a link says; null where there is none. */
function linkAt(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
