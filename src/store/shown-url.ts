import type { ShownAddress } from './scheme.ts'
import { schemes } from './schemes.ts'
import { hidden, withoutSecrets } from './without-secrets.ts'

/** What is longer is no URL of a store: no path is. */
const urlCharactersMax = 4_096

const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/**
 * The URL of a store as it may be shown: the one place that decides that, for every message, line and answer. Takes any
 * text, also one that is no URL, and never throws. What is not known to be harmless is hidden: passwords are typed
 * unescaped, with an `@`, `/`, `?` or `#` in them, and a URL that such a one has broken must not show the rest of it.
 */
export function shownUrl(url: string): string {
  if (url.length > urlCharactersMax) return hidden
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]{0,20}):(.*)$/is.exec(url) ?? []
  if (scheme === undefined) return /[@:?#]/.test(url) ? hidden : url
  const { shown = nothingKnown } = schemes[scheme.toLowerCase()] ?? {}
  if (shown === 'path') return `${scheme}:${shownPath(rest)}`
  if (rest.startsWith('//')) return `${scheme}://${shownAddress(rest.slice(2), shown)}`
  return rest.includes('@') ? hidden : `${scheme}:${hidden}`
}

/** A scheme that no driver has. */
const nothingKnown: ShownAddress = { harmless: {}, addresses: [], secrets: [] }

/** Host and parameters; nothing where an unescaped password may reach beyond the host. */
function shownAddress(text: string, known: ShownAddress): string {
  const [, authority = '', folder = '', query] = /^([^/?#]*)([^?#]*)(?:\?(.*))?$/s.exec(text) ?? []
  const isFolderFine = folder === '' || folder === '/' || known.folder?.test(folder) === true
  const given = query === undefined || query === '' ? [] : query.split('&')
  const parameters = given.map((each) => shownParameter(each, known))
  if (!isFolderFine || text.includes('#') || parameters.includes(null)) return hidden
  const at = authority.lastIndexOf('@')
  const hosts = authority.slice(at + 1)
  const shownHosts = hosts.split(',').every((host) => hostForm.test(host)) ? hosts : hidden
  const shownQuery = parameters.length === 0 ? '' : `?${parameters.join('&')}`
  return `${at === -1 ? '' : `${hidden}@`}${shownHosts}${folder}${shownQuery}`
}

/** Null for what may be the rest of a password. */
function shownParameter(text: string, known: ShownAddress): string | null {
  const { harmless, addresses, secrets } = known
  const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(text) ?? []
  if (addresses.includes(name)) return `${name}=${value.split(',').map(shownNested).join(',')}`
  const isKnown = Object.hasOwn(harmless, name)
  if (isKnown && harmless[name]?.test(value)) return text
  if (isKnown || secrets.includes(name)) return `${name}=${hidden}`
  return text.includes('@') ? null : hidden
}

function shownNested(text: string): string {
  try {
    const decoded = decodeURIComponent(text)
    return /^https?:/i.test(decoded) ? shownUrl(decoded) : hidden
  } catch {
    return hidden
  }
}

/** A path is shown, unless it looks as if somebody took something else for one. */
function shownPath(path: string): string {
  if (path.startsWith('//') && !path.startsWith('///')) return hidden
  const [colon, at] = [path.indexOf(':'), path.lastIndexOf('@')]
  if (colon === -1 || at < colon) return withoutSecrets(path)
  const folder = path.slice(0, path.lastIndexOf('/', colon) + 1)
  return withoutSecrets(`${folder}${hidden}${path.slice(at)}`)
}
