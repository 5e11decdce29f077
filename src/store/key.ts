import { byteLengthOf } from './bytes.ts'
import { StoreError } from './error.ts'
import type { ListOptions } from './store.ts'

/** The most bytes of UTF-8 that a whole key may have. */
export const keyBytesMax = 512

const grammar = /^[a-z0-9_]{1,32}(?:\/(?!\.{1,2}(?:\/|$))[^/\p{Cc}]+)*$/u
const fits = (text: string): boolean =>
  text.length * 3 <= keyBytesMax || byteLengthOf(text) <= keyBytesMax

/** Throws `bad_key` unless the key is one that every store can hold. */
export function checkKey(key: string): void {
  if (typeof key !== 'string' || !key.includes('/')) throw badKey(key)
  if (!grammar.test(key) || !fits(key) || !key.isWellFormed()) throw badKey(key)
}

/** Throws `bad_key` unless the prefix is empty or whole segments without a trailing slash. */
export function checkPrefix(prefix: string): void {
  if (prefix === '') return
  if (typeof prefix !== 'string' || !grammar.test(prefix) || !fits(prefix)) throw badKey(prefix)
  if (!prefix.isWellFormed()) throw badKey(prefix)
}

/** Joins segments into a key, and checks it. Escape what a user typed first. */
export function joinKey(...segments: readonly string[]): string {
  const slashed = segments.find((segment) => segment.includes('/'))
  if (slashed !== undefined) throw badKey(slashed)
  const key = segments.join('/')
  checkKey(key)
  return key
}

const unsafe = /[%/\p{Cc}]/gu

/**
 * Any text as one segment of a key: reversible, and readable where the text is. `%`, `/` and control
 * characters become `%` and the hex of their UTF-8 bytes; so do the dots of `.` and `..`; nothing at
 * all becomes a lone `%`.
 *
 * @throws `StoreError` `bad_key` for a text that is no Unicode.
 *
 * @example
 * ```js
 * import { escapeSegment, joinKey } from 'holdfast/store'
 *
 * console.log(joinKey('shop', 'tag', escapeSegment('50% off/now'))) // shop/tag/50%25 off%2Fnow
 * ```
 */
export function escapeSegment(text: string): string {
  if (!text.isWellFormed()) throw badKey(text)
  if (text === '') return '%'
  if (text === '.' || text === '..') return text.replaceAll('.', '%2E')
  // Most have nothing to escape, and a look is cheaper than a replacement.
  return text.search(unsafe) === -1 ? text : text.replace(unsafe, encodeURIComponent)
}

/** What {@link escapeSegment} was given. */
export function unescapeSegment(segment: string): string {
  if (segment === '%') return ''
  try {
    return decodeURIComponent(segment)
  } catch {
    throw badKey(segment, 'it is no segment that escapeSegment() made')
  }
}

/** Whether {@link escapeSegment} may have made this; other programs write other things. */
export function isSegment(text: string): boolean {
  try {
    return escapeSegment(unescapeSegment(text)) === text
  } catch {
    return false
  }
}

/** The open interval of keys that a list spans: `from` and `to` themselves are outside. */
export interface KeyRange {
  /** Only keys after this one. */
  readonly from: string
  /** Only keys before this one. */
  readonly to: string
}

/** Keys start with `[a-z0-9_]`, so all of them lie between these two. */
const everything: KeyRange = { from: '', to: '{' }

/** The keys below a prefix, narrowed by `after` and `before`. */
export function keyRange(prefix: string, { after, before }: ListOptions = {}): KeyRange {
  // '0' is the character after '/', so 'a/b0' is the first text after everything below 'a/b'.
  const { from, to } = prefix === '' ? everything : { from: `${prefix}/`, to: `${prefix}0` }
  return {
    from: after !== undefined && compareKeys(after, from) > 0 ? after : from,
    to: before !== undefined && compareKeys(before, to) < 0 ? before : to,
  }
}

/** The first segment of a key or prefix. */
export const namespaceOf = (key: string): string => key.split('/', 1)[0] as string

/** Whether a key lies below a prefix. */
export const isBelow = (key: string, prefix: string): boolean =>
  prefix === '' || (key.startsWith(prefix) && key[prefix.length] === '/')

/**
 * Orders keys by their UTF-8 bytes, which is the order of their code points. JavaScript compares UTF-16
 * units instead; the two differ only where a surrogate meets a unit from U+E000 on.
 */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  let at = 0
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  if (at === length) return a.length - b.length
  const left = a.charCodeAt(at)
  const right = b.charCodeAt(at)
  return isSurrogate(left) === isSurrogate(right) ? left - right : isSurrogate(left) ? 1 : -1
}

// A surrogate stands for a code point above U+FFFF, and so after every unit that is none.
const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff

const shownLengthMax = 80

function badKey(key: unknown, flaw = flawOf(key)): StoreError {
  const text = typeof key === 'string' ? key : String(key)
  const shown = text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text
  return new StoreError(
    'bad_key',
    `Not a key of a store: ${JSON.stringify(shown)} (${flaw}).`,
    'Use a namespace of [a-z0-9_]{1,32} and segments joined by "/"; escapeSegment() makes a segment of any text.',
  )
}

function flawOf(key: unknown): string {
  if (typeof key !== 'string') return `it is ${typeof key}, not a string`
  if (key === '') return 'it is empty'
  if (!key.isWellFormed()) return 'it has half a surrogate pair, which is no Unicode'
  if (/\p{Cc}/u.test(key)) return 'it has a control character'
  if (!fits(key)) return `it has ${byteLengthOf(key)} bytes, the limit is ${keyBytesMax}`
  const segments = key.split('/')
  if (segments.includes('')) return 'it has an empty segment'
  if (segments.some((segment) => segment === '.' || segment === '..'))
    return 'a segment is "." or ".."'
  if (!/^[a-z0-9_]{1,32}$/.test(segments[0] as string))
    return `its namespace ${JSON.stringify(segments[0])} is not of the form [a-z0-9_]{1,32}`
  return 'it has one segment, a key has two or more'
}
