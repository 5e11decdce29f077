import { readlinkSync, realpathSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { StoreError, storeFile } from '../../store/index.ts'

/** As many as Linux follows. */
const linksMax = 40

/**
 * Whether a store lies inside a folder once all links are followed. One in memory does, for it begins empty. A URL that
 * nobody understands does not.
 */
export function isStoreInside(url: string, folder: string): boolean {
  if (url.startsWith('memory:')) return true
  const file = fileOf(url)
  const real = file === null ? null : withLinksFollowed(file)
  if (real === null) return false
  const above = realFolder(folder)
  return real.startsWith(above.endsWith('/') ? above : `${above}/`)
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

/**
 * Where a path leads, also where nothing is there yet: a store is made at the end of a link that leads nowhere. Each `..`
 * is taken after the links before it, as the system does. Null where it can't be told.
 */
function withLinksFollowed(path: string): string | null {
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
    if (isAbsolute(target)) at = '/'
    rest.unshift(...target.split('/'))
  }
  return at
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

/** Parameters that hold a secret, or the path of one. */
const secretParameter = /pass|secret|token|key|cred|cert|tls_ca/i

/**
 * Whether a URL brings credentials along, or names a file of them. A password may hold characters that end a URL's host for
 * a strict reader, so this one is generous.
 */
export function hasCredentials(url: string): boolean {
  if (/^(?:sqlite|memory):/.test(url)) return false
  const [, rest = ''] = /^[a-z][a-z0-9+.-]*:\/\/(.*)$/is.exec(url) ?? []
  if (/^[^/?]*@|:.*@/s.test(rest)) return true
  const [, query = ''] = /\?(.*)$/s.exec(rest) ?? []
  return [...new URLSearchParams(query)].some(
    ([name, value]) => secretParameter.test(name) || hasCredentials(value),
  )
}
