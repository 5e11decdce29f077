/** What stands for something that is not shown. */
const hidden = '…'

/** What is longer is no URL of a store: no path is. */
const urlCharactersMax = 4_096
/** As much of a message as is shown, and as far as a URL that begins in it is looked for. */
const messageCharactersMax = 10_000
const reachMax = 2_000

/** Parameters whose values tell nothing but how a store is used, by the form they have then. */
const harmless: Readonly<Record<string, RegExp>> = {
  replicas: /^\d{1,3}$/,
  history: /^\d{1,3}$/,
  atomic: /^(true|false)$/,
  timeout_ms: /^\d{1,9}$/,
  poll_ms: /^\d{1,9}$/,
  tls: /^(true|false)$/,
  path_style: /^(true|false)$/,
  versioned: /^(true|false)$/,
  probe: /^[a-z]{1,12}$/,
  region: /^[a-z]{2}[a-z0-9-]{0,30}$/,
}

/** Parameters that hold addresses, of which each may hold a password in turn. */
const addresses = new Set(['endpoint', 'monitor'])
/** Parameters whose names may be shown, and their values not. */
const secrets = new Set(['nkey', 'creds', 'tls_ca', 'tls_cert', 'tls_key'])

const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i
const folderForm = /^[\w./~%+=-]*$/

/**
 * The URL of a store as it may be shown: the one place that decides that, for every message, line and answer. Takes any
 * text, also one that is no URL, and never throws. What is not known to be harmless is hidden: passwords are typed
 * unescaped, with an `@`, `/`, `?` or `#` in them, and a URL that such a one has broken must not show the rest of it.
 */
export function shownUrl(url: string): string {
  if (url.length > urlCharactersMax) return hidden
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]{0,20}):(.*)$/is.exec(url) ?? []
  if (scheme === undefined) return /[@:?#]/.test(url) ? hidden : url
  if (/^(sqlite|memory)$/i.test(scheme)) return `${scheme}:${shownPath(rest)}`
  if (rest.startsWith('//')) return `${scheme}://${shownAddress(rest.slice(2), scheme)}`
  return rest.includes('@') ? hidden : `${scheme}:${hidden}`
}

/** Host and parameters; nothing where an unescaped password may reach beyond the host. */
function shownAddress(text: string, scheme: string): string {
  const [, authority = '', folder = '', query] = /^([^/?#]*)([^?#]*)(?:\?(.*))?$/s.exec(text) ?? []
  const isFolderFine =
    folder === '' || folder === '/' || (/^s3$/i.test(scheme) && folderForm.test(folder))
  const parameters = query === undefined || query === '' ? [] : query.split('&').map(shownParameter)
  if (!isFolderFine || text.includes('#') || parameters.includes(null)) return hidden
  const at = authority.lastIndexOf('@')
  const hosts = authority.slice(at + 1)
  const shownHosts = hosts.split(',').every((host) => hostForm.test(host)) ? hosts : hidden
  const shownQuery = parameters.length === 0 ? '' : `?${parameters.join('&')}`
  return `${at === -1 ? '' : `${hidden}@`}${shownHosts}${folder}${shownQuery}`
}

/** Null for what may be the rest of a password. */
function shownParameter(text: string): string | null {
  const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(text) ?? []
  if (addresses.has(name)) return `${name}=${value.split(',').map(shownNested).join(',')}`
  if (harmless[name]?.test(value)) return text
  if (Object.hasOwn(harmless, name) || secrets.has(name)) return `${name}=${hidden}`
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

const scheme = String.raw`\b[a-z][a-z0-9+.-]{0,20}:/{1,3}`
const secretWord = 'token|pass|pwd|secret|key|cred|seed|sign|sig|auth|jwt'

/** What looks like a secret in a message, and what stands before it. */
const secretForms = [
  // Up to the last `@`: after a scheme, or in a part of a path that looks like user and password.
  String.raw`(${scheme}|/(?=[^/\s:@]+:))\S{0,${reachMax}}@`,
  // A password, and no port or IPv6 address, after the name of a user; there may be white space in it.
  String.raw`(${scheme})[^\s/:@[]+:(?!\d{1,5}(?!\w))[^@]{0,${reachMax}}@`,
  // A token, or the name of a user, with white space in it; only after schemes of stores, for an address of mail may follow any.
  String.raw`(\b(?:nats|s3):/{1,3})(?=[^@]{0,${reachMax}}\s)[^@]{0,${reachMax}}@`,
  // The same where nothing follows that a URL goes on with; "HOST:PORT" stands in our own words.
  String.raw`(${scheme})[^\s/:@[]+:(?!\d{1,5}(?!\w)|PORT\b)[^\s@]+(?=\s|$)`,
].map((form) => new RegExp(form, 'gi'))
/** One of our own tokens, somewhere it does not belong. */
const ownToken = /\bholdfast_[\w-]{30,}/g
const secretParameter = new RegExp(
  String.raw`([?&;][\w.-]{0,40}(?:${secretWord})[\w.-]{0,40}=)[^\s&;"'${'`'}]+`,
  'gi',
)

/** A message that may quote what was typed, without what looks like a secret in a URL. */
export function withoutSecrets(message: string): string {
  if (!/[@?&;]|:\/|holdfast_/.test(message)) return message
  const near = message.slice(0, messageCharactersMax + reachMax)
  const [byLastAt, withSpace, spacedToken, broken] = secretForms as [RegExp, RegExp, RegExp, RegExp]
  const shown = near
    .replace(byLastAt, `$1${hidden}@`)
    .replace(withSpace, `$1${hidden}@`)
    .replace(spacedToken, `$1${hidden}@`)
    .replace(broken, `$1${hidden}`)
    .replace(secretParameter, `$1${hidden}`)
    .replace(ownToken, `holdfast_${hidden}`)
  return message.length > messageCharactersMax ? `${shown.slice(0, messageCharactersMax)}…` : shown
}
