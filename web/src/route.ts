import { useEffect, useMemo, useState } from 'preact/hooks'

/** Where in the page one is: the part of the address after #. It holds no secret, ever. */
export interface Route {
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(decoded),
    query: Object.fromEntries(new URLSearchParams(query)),
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export function hrefOf(
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given as [string, string][]).toString()
  return `#/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}

export function go(
  path: readonly string[],
  query?: Readonly<Record<string, string | undefined>>,
  { replace = false } = {},
): void {
  const href = hrefOf(path, query)
  if (!replace) location.hash = href
  else {
    // It is the same entry as before, with what was left there.
    history.replaceState(history.state, '', href)
    dispatchEvent(new HashChangeEvent('hashchange'))
  }
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const onChange = () => setHash(location.hash)
    addEventListener('hashchange', onChange)
    // It may have changed between the first look and this.
    onChange()
    return () => removeEventListener('hashchange', onChange)
  }, [])
  return useMemo(() => parseRoute(hash), [hash])
}
