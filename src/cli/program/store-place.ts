import { resolve } from 'node:path'
import { StoreError, storeFile } from '../../store/internal.ts'
import { isFileInside, withLinksFollowed } from './file-place.ts'
import { foreignOwnerOf } from './opened-file.ts'

/**
 * Whether a store lies inside a folder once all links are followed. One in memory does, for it begins empty. A URL that
 * nobody understands does not.
 */
export function isStoreInside(url: string, folder: string): boolean {
  if (url.startsWith('memory:')) return true
  const file = fileOf(url)
  return file !== null && isFileInside(file, folder)
}

/** The file that a store really is, if links lead to another one than its URL names; else null. */
export function linkedFileOf(url: string): string | null {
  const file = fileOf(url)
  const real = file === null ? null : withLinksFollowed(file)
  return real === null || real === resolve(file as string) ? null : real
}

/** Whether a store is a file that another user has made, which is theirs to read. */
export function isStoreForeign(url: string): boolean {
  const file = fileOf(url)
  return file !== null && foreignOwnerOf(file) !== null
}

/** Null for what is no file. */
function fileOf(url: string): string | null {
  try {
    return storeFile(url)
  } catch (error) {
    if (error instanceof StoreError) return null
    throw error
  }
}

/** Parameters that hold a secret, or the path of one. */
const secretParameter = /pass|secret|token|key|cred|cert|tls_ca/i

/**
 * Whether a URL brings credentials along, or names a file of them. A password may hold characters that end a URL's host for
 * a strict reader, so this one is generous.
 */
export function hasCredentials(url: string): boolean {
  if (/^(?:sqlite|memory):/.test(url)) return false
  const [, rest = ''] = /^[a-z][a-z0-9+.-]*:\/\/(.*)$/is.exec(url) ?? []
  if (/^[^/]*@|:.*@/s.test(rest)) return true
  const [, query = ''] = /\?(.*)$/s.exec(rest) ?? []
  return [...new URLSearchParams(query)].some(
    ([name, value]) => secretParameter.test(name) || value.split(',').some(hasCredentials),
  )
}
