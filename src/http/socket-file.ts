import { once } from 'node:events'
import { lstatSync, renameSync, statSync, unlinkSync } from 'node:fs'
import { connect, type Server } from 'node:net'
import { dirname } from 'node:path'
import { ListenError } from './listen-error.ts'

/** Systems have room for 104 to 108 bytes and silently truncate longer paths. */
const pathBytesMax = 103
/** How often to replace a stale socket before giving up. */
const attemptsMax = 5
/** Only the owner may connect, from the first instant: the socket is made under this mask. */
const ownerOnly = 0o177

/**
 * Listens on a Unix socket, and answers with how to stop. Replaces one that a dead server left, but no live one and no other
 * file.
 */
export async function listenOnSocket(server: Server, path: string): Promise<() => void> {
  checkPath(path)
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const { error, made } = await bound(server, path)
    if (error === null) return () => closeOnSocket(server, path, made)
    if (error.code !== 'EADDRINUSE') throw notListening(path, error.message, error)
    await removeStale(path)
  }
  throw taken(path)
}

function checkPath(path: string): void {
  if (Buffer.byteLength(path) > pathBytesMax)
    throw notListening(path, `the path is longer than ${pathBytesMax} bytes`)
  const folder = dirname(path)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new ListenError(`Can't listen on ${path}: there is no folder ${folder}.`, 'Create it.')
}

/** The socket is made before `listen` returns, so the mask holds for nothing else. */
async function bound(
  server: Server,
  path: string,
): Promise<{ error: NodeJS.ErrnoException | null; made: Look }> {
  const before = process.umask(ownerOnly)
  try {
    server.listen(path)
  } finally {
    process.umask(before)
  }
  const made = lookAt(path)
  try {
    await once(server, 'listening')
    return { error: null, made }
  } catch (error) {
    return { error: error as NodeJS.ErrnoException, made }
  }
}

/** To close means to delete whatever has the path by then. What has replaced our socket is moved aside for that moment. */
function closeOnSocket(server: Server, path: string, made: Look): void {
  const found = lookAt(path)
  const aside = !found || isSame(found, made) ? null : movedAside(path)
  server.close()
  if (aside !== null) renameSync(aside, path)
}

function movedAside(path: string): string | null {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
    return aside
  } catch {
    // What can't be moved can't be deleted.
    return null
  }
}

async function removeStale(path: string): Promise<void> {
  const found = lookAt(path)
  if (!found) return
  if (!found.isSocket())
    throw new ListenError(
      `Can't listen on ${path}: it exists and is not a socket.`,
      'Move it away, or choose another path with --socket PATH.',
    )
  if (await isAlive(path)) throw taken(path)
  // Meanwhile another server may have put its own there.
  const still = lookAt(path)
  if (!isSame(still, found)) return
  try {
    unlinkSync(path)
  } catch (error) {
    throw notListening(
      path,
      `the stale socket can't be removed: ${(error as Error).message}`,
      error,
    )
  }
}

type Look = ReturnType<typeof lookAt>

/** The number of a deleted socket may be given to a new one, which is younger. Other modes and owners change neither. */
const isSame = (a: Look, b: Look): boolean => a?.ino === b?.ino && a?.mtimeNs === b?.mtimeNs

const lookAt = (path: string) => lstatSync(path, { bigint: true, throwIfNoEntry: false })

/** A socket is dead if it refuses connections; other failures prove nothing. */
async function isAlive(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return code !== 'ECONNREFUSED' && code !== 'ENOENT'
  } finally {
    socket.destroy()
  }
}

const taken = (path: string): ListenError => notListening(path, 'another program has it')

const notListening = (path: string, why: string, cause: unknown = null): ListenError =>
  new ListenError(`Can't listen on ${path}: ${why}.`, 'Choose another path with --socket PATH.', {
    cause,
  })
