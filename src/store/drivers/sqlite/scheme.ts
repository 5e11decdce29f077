import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Scheme } from '../../scheme.ts'

export const sqlite: Scheme = {
  forms: ['sqlite:PATH'],
  shown: 'path',
  sharedBy: 'machine',
  async open(path, options) {
    const { openSqlite } = await import('./driver.ts')
    return openSqlite(path, options)
  },
  fileOf,
  isBegunByAdding: () => true,
  async permissionCheck(path) {
    const { permissionCheck } = await import('./permissions.ts')
    return permissionCheck(resolve(path))
  },
}

/** `sqlite:PATH` takes the path as it is; `sqlite:///PATH`, as other tools write it, means the same. */
function fileOf(rest: string): ReturnType<NonNullable<Scheme['fileOf']>> {
  const path = rest.startsWith('///') ? rest.slice(2) : rest
  if (path === '' || path.startsWith('//') || path.includes('\0'))
    return { flaw: 'it names no path' }
  if (path === ':memory:') return { flaw: 'a store in memory is memory:' }
  if (path.endsWith('/')) return { flaw: 'it names a folder, not a file' }
  if (!path.startsWith('~/')) return { path }
  try {
    return { path: join(homedir(), path.slice(2)) }
  } catch {
    // A user without an account has a home only where `HOME` says so.
    return { flaw: 'this user has no home directory' }
  }
}
