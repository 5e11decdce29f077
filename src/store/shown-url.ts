/** What stands for something that is not shown. */
const hidden = '…'

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
  return withoutSecrets(path.replace(/[^/:]*:.*@/s, `${hidden}@`))
}

/** What stands before the last `@` of anything like a URL, or of a part of a path that looks like user and password. */
const userInfo = /(\b[a-z][a-z0-9+.-]{0,20}:\/{1,3}|\/(?=[^/\s:@]+:))\S{0,2000}@/gi
/** A password, not a port, after a user's name: it may have white space in it, too. */
const passwordWithSpace =
  /(\b[a-z][a-z0-9+.-]{0,20}:\/{1,3})[^\s/:@]+:(?!\d{1,5}(?!\w))[^@]{0,2000}@/gi
const secretParameter =
  /([?&;][\w.-]{0,40}(?:token|pass|pwd|secret|key|cred|seed|sign|sig|auth|jwt)[\w.-]{0,40}=)[^\s&;"'`]+/gi

/** A message that may quote what was typed, without what looks like a secret in a URL. */
export function withoutSecrets(message: string): string {
  if (!/[@?&;]/.test(message)) return message
  return message
    .replace(userInfo, `$1${hidden}@`)
    .replace(passwordWithSpace, `$1${hidden}@`)
    .replace(secretParameter, `$1${hidden}`)
}
