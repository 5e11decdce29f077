/** As much of a message as is shown, and as far as a URL that begins in it is looked for. */
const messageCharactersMax = 10_000
const reachMax = 2_000
/** What stands for something that is not shown. */
export const hidden = '…'

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
