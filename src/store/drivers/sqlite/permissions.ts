import type { Check } from '../../examination.ts'
import { openFilesOf } from './modes.ts'

/**
 * Who but its owner can read a store. To be asked before it is opened: what SQLite puts next to an open store goes with
 * it.
 */
export function permissionCheck(path: string): Check {
  const open = openFilesOf(path)
  const name = 'permissions'
  if (open.length === 0) return { name, ok: true, detail: 'Only its owner can read the store.' }
  const whom = open.some(({ isForAll }) => isForAll) ? 'Every user of this machine' : 'Its group'
  const verb = open.some(({ mode }) => (mode & 0o022) !== 0) ? 'read or change' : 'read'
  const isUsual = open.every(({ mode }) => (mode & 0o700) === 0o600)
  const command = [
    'chmod',
    isUsual ? '600' : 'go-rwx',
    ...open.map(({ path: each }) => quoted(each)),
  ].join(' ')
  const detail = `${whom} can ${verb} the store. Make it private: ${command}`
  return { name, ok: true, detail, isWarning: true }
}

/** As a shell takes it. */
const quoted = (path: string): string =>
  /^[\w/.,@%+=:-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
