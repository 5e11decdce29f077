import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { blake3 } from '@noble/hashes/blake3.js'
import { shown } from '../collection/index.ts'
import { InvalidPlanError } from './error.ts'

/** A directory as sessions know it: absolute, without symbolic links, with forward slashes. Throws where there is none. */
export const canonicalPath = (directory: string): string =>
  spelled(realpathSync(resolve(directory)))

/** No system knows longer ones, and each level is looked up. */
const pathBytesMax = 4096

/**
 * The same for a directory that anybody may name. One that can't be found here is on another machine, and taken as it is
 * given. Throws {@link InvalidPlanError} for what is no path on any.
 */
export function namedPath(directory: string): string {
  const isPath =
    typeof directory === 'string' &&
    directory !== '' &&
    !directory.includes('\0') &&
    directory.isWellFormed()
  if (!isPath || Buffer.byteLength(directory) > pathBytesMax)
    throw new InvalidPlanError(
      `Not the path of a directory: ${shown(directory)}.`,
      `Give one of at most ${pathBytesMax} bytes.`,
    )
  try {
    return canonicalPath(directory)
  } catch {
    return spelled(resolve(directory))
  }
}

const spelled = (path: string): string =>
  process.platform === 'win32' ? path.replaceAll('\\', '/').toLowerCase() : path

/** BLAKE3 of a canonical path: 64 hex digits. */
export const directoryHash = (path: string): string => hashOf(path)

export const hashOf = (text: string): string =>
  Buffer.from(blake3(new TextEncoder().encode(text))).toString('hex')

/** A canonical path, its parent, and so on up to the root. */
export function* withParents(path: string): Generator<string> {
  const visited = new Set<string>()
  for (let at = path; !visited.has(at); at = dirname(at)) {
    visited.add(at)
    yield at
  }
}
