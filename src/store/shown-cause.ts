import { hidden, withoutSecrets } from './without-secrets.ts'

/** A shorter one would be found in words that have nothing to do with it; the name of its field hides it still. */
const secretCharactersMin = 4
/** Roles get new keys for as long as a process runs. */
const secretsMax = 100
const secrets = new Set<string>()

/** Remembers what was sent to a server to be let in, for the server may repeat it, in any form that text takes on the way. */
export function rememberSecret(secret: string | undefined): void {
  if (secret === undefined || secret.length < secretCharactersMin) return
  for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
    // Those in use are the last ones to be forgotten.
    secrets.delete(form)
    secrets.add(form)
  }
  for (const oldest of secrets) {
    if (secrets.size <= secretsMax) break
    secrets.delete(oldest)
  }
}

const secretWord = 'pass|pwd|secret|token|jwt|nkey|seed|sig|cred'
/** A field of JSON whose name says that it is a secret, as a server may repeat what it was told at the start. */
const secretField = new RegExp(
  String.raw`("[\w.-]{0,40}(?:${secretWord})[\w.-]{0,40}"\s{0,9}:\s{0,9}")(?:[^"\\]|\\.)+`,
  'gi',
)

/** What a server has said, without what it was told in confidence. */
function withoutRepeated(text: string): string {
  let shown = text
  for (const secret of secrets) shown = shown.replaceAll(secret, hidden)
  return shown.replace(secretField, `$1${hidden}`)
}

/** An error of a library holds a few errors and plain objects, none of them deep. */
const depthMax = 8

/**
 * Hides secrets in a cause, and in all that it holds: messages, stacks, answers of servers. In place, for what a cause is tells how
 * to go on.
 */
export function withSecretsHidden<T>(cause: T): T {
  return hiddenIn(cause, new Set(), 0) as T
}

function hiddenIn(value: unknown, seen: Set<object>, depth: number): unknown {
  if (typeof value === 'string') return withoutSecrets(withoutRepeated(value))
  // What could not be parsed, for example.
  if (ArrayBuffer.isView(value)) return hidden
  if (!isWalked(value) || seen.has(value)) return value
  if (depth >= depthMax) return hidden
  seen.add(value)
  for (const key of Reflect.ownKeys(value)) {
    if (kinds.has(key)) continue
    const property = Object.getOwnPropertyDescriptor(value, key)
    // The stack of an error is made when it is first asked for.
    const held = key === 'stack' ? (value as { stack?: unknown }).stack : property?.value
    const shown = hiddenIn(held, seen, depth + 1)
    if (shown === held) continue
    const enumerable = property?.enumerable === true
    const replacement = { value: shown, enumerable, writable: true, configurable: true }
    // What can't be changed must not be shown at all.
    if (!Reflect.defineProperty(value, key, replacement)) return hidden
  }
  return value
}

/** By these errors are told apart, so no secret may change them; libraries choose them. */
const kinds = new Set<string | symbol>(['name', 'code'])

/** Errors and plain objects; a socket or a request is no text to show, and may not be changed. */
function isWalked(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return (
    value instanceof Error ||
    Array.isArray(value) ||
    prototype === Object.prototype ||
    prototype === null
  )
}
