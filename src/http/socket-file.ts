import { once } from 'node:events'
import { lstatSync, statSync, unlinkSync } from 'node:fs'
import { connect, type Server } from 'node:net'
import { dirname } from 'node:path'
import { ListenError } from './listen-error.ts'

/** Systems have room for 104 to 108 bytes and silently truncate longer paths. */
const pathBytesMax = 103
/** How often to replace a stale socket before giving up. */
const attemptsMax = 5
/** Only the owner may connect, from the first instant: the socket is made under this mask. */
const ownerOnly = 0o177

/** Listens on a Unix socket. Replaces one that a dead server left, but no live one and no other file. */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  checkPath(path)
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const error = await bound(server, path)
    if (error === null) return
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
async function bound(server: Server, path: string): Promise<NodeJS.ErrnoException | null> {
  const before = process.umask(ownerOnly)
  try {
    server.listen(path)
  } finally {
    process.umask(before)
  }
  try {
    await once(server, 'listening')
    return null
  } catch (error) {
    return error as NodeJS.ErrnoException
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
  if (still?.ino !== found.ino || still.ctimeNs !== found.ctimeNs) return
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
