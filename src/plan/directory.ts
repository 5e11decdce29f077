import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { blake3 } from '@noble/hashes/blake3.js'

/** A directory as sessions know it: absolute, without symbolic links, with forward slashes. */
export function canonicalPath(directory: string): string {
  const real = realpathSync(resolve(directory))
  return process.platform === 'win32' ? real.replaceAll('\\', '/').toLowerCase() : real
}

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
