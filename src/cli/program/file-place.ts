import { readlinkSync, realpathSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'

/** As many as Linux follows. */
const linksMax = 40

/** Whether a file lies inside a folder once all links are followed, also where neither is there yet. */
export function isFileInside(path: string, folder: string): boolean {
  const real = withLinksFollowed(path)
  if (real === null) return false
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
