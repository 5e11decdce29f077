import { byteLengthOf } from '../../bytes.ts'
import { StoreError } from '../../error.ts'
import { checkKey, namespaceOf } from '../../key.ts'

/*
 * How keys become names of objects. Namespace `qo` is the bucket's root, and its names are the keys themselves, for
 * other S3 tools to read. All else lies below `holdfast/`: namespaces, and `.store`, which is none.
 *
 * S3 could hold every key as it is. MinIO keeps names as paths in a file system, and three things bite there:
 * - An object `a` hides `a/b` from every list. So names end in `!`, which no folder does.
 * - A part between slashes has at most 255 bytes. So long segments are broken into several.
 * - A part of dots and spaces is refused. So spaces are escaped.
 *
 * The names keep the order of the keys, for lists come in the order of names. `!` must then sort before all that may
 * follow in its place: the three characters up to `"` are escaped by `"` and a code that sorts as they do. It also
 * tells what follows, an end, another of the three, or something else, and takes another of the three with it; so
 * a name is at most half as long again as its key.
 *
 * In `qo` only the first segment is treated so. The rest is taken as it is, but for long segments: no key there may
 * be the beginning of another one. The queue has no such keys.
 */

export const rootNamespace = 'qo'
export const ownFolder = 'holdfast/'
const ownSegment = 'holdfast'

const end = '!'
const escaped = ' !"'
const codes = '0123456789abcde'

/** Segments are broken at the first character from here on; MinIO takes 255. */
const partBytesMin = 240

/** What stands at the end of a broken part: whether the next character sorts before or after the slash. */
const breakLow = '-'
const breakHigh = '~'

/** MinIO's own mark for a folder as an object; a name with it vanishes from lists. */
const reservedEnd = '__XLDIR__'

/** The name of a key's object. */
export function nameOf(key: string): string {
  const segments = key.split('/')
  if (key.includes(reservedEnd)) refuseReserved(key, segments)
  const [namespace, ...rest] = segments as [string, ...string[]]
  if (namespace !== rootNamespace) return `${ownFolder}${namespace}/${leafOf(rest)}`
  // The folder `holdfast` is taken; the order of names is the same one folder further down.
  if (rest.length > 1 && rest[0] === ownSegment)
    return `${ownFolder}${rootNamespace}/${leafOf(rest.slice(1))}`
  if (rest.length === 1) return leafOf(rest)
  return rest
    .map((segment, index) => broken(index === 0 ? escapedText(segment, false) : segment))
    .join('/')
}

/** What the names of all keys below a prefix begin with; not for the empty prefix, nor for `qo`. */
export function folderOf(prefix: string): string {
  const [namespace, ...rest] = prefix.split('/') as [string, ...string[]]
  if (namespace !== rootNamespace) return `${ownFolder}${namespace}/${foldersOf(rest)}`
  if (rest[0] === ownSegment) return `${ownFolder}${rootNamespace}/${foldersOf(rest.slice(1))}`
  const parts = rest.map((segment, index) =>
    broken(index === 0 ? escapedText(segment, false) : segment),
  )
  return `${parts.join('/')}/`
}

/** The key of an object, or null where no key has this name: another program's object. */
export function keyOf(name: string): string | null {
  const key = guessedKey(name)
  return key !== null && isKey(key) && nameOf(key) === name ? key : null
}

const leafOf = (segments: readonly string[]): string =>
  segments
    .map((segment, index) => broken(escapedText(segment, index === segments.length - 1)))
    .join('/') + end

const foldersOf = (segments: readonly string[]): string =>
  segments.map((segment) => `${broken(escapedText(segment, false))}/`).join('')

/** Keeps the order: an end sorts before the three, and they before all else. */
function escapedText(segment: string, isLast: boolean): string {
  if (!/[ !"]/.test(segment)) return segment
  return segment.replace(/[ !"][ !"]?/g, (pair, at: number) => {
    const isEnd = isLast && at + 1 === segment.length
    const follow = pair.length === 2 ? 1 + escaped.indexOf(pair[1] as string) : isEnd ? 0 : 4
    return `"${codes[escaped.indexOf(pair[0] as string) * 5 + follow]}`
  })
}

const unescaped = (text: string): string =>
  text.replace(/"([0-9a-e])/g, (_, code: string) => {
    const at = codes.indexOf(code)
    const follow = at % 5
    return escaped.charAt(Math.floor(at / 5)) + (follow === 0 ? '' : escaped.charAt(follow - 1))
  })

/**
 * A long segment in parts. Where to break depends only on what stands before, so that two segments which begin
 * alike break alike. An escape is not torn apart.
 */
function broken(segment: string): string {
  if (segment.length * 3 <= partBytesMin || byteLengthOf(segment) <= partBytesMin) return segment
  const parts: string[] = []
  let part = ''
  let bytes = 0
  for (const unit of segment.match(/"[0-9a-e]|./gsu) as string[]) {
    if (bytes >= partBytesMin) {
      parts.push(part + (unit < '/' ? breakLow : breakHigh))
      part = ''
      bytes = 0
    }
    part += unit
    bytes += byteLengthOf(unit)
  }
  return [...parts, part].join('/')
}

/** Puts broken segments together: a part of such a length that ends in a break goes on in the next one. */
function joined(parts: readonly string[]): string[] {
  const segments: string[] = []
  let head = ''
  for (const part of parts) {
    const isBroken = byteLengthOf(part) > partBytesMin && /[-~]$/.test(part)
    if (isBroken) head += part.slice(0, -1)
    else {
      segments.push(head + part)
      head = ''
    }
  }
  return head === '' ? segments : [...segments, head]
}

function guessedKey(name: string): string | null {
  if (!name.startsWith(ownFolder)) {
    const [first, ...rest] = joined(name.split('/')) as [string, ...string[]]
    if (rest.length > 0) return [rootNamespace, unescaped(first), ...rest].join('/')
    return first.endsWith(end) ? `${rootNamespace}/${unescaped(first.slice(0, -1))}` : null
  }
  if (!name.endsWith(end)) return null
  const [namespace, ...parts] = name.slice(ownFolder.length, -end.length).split('/') as [string]
  const rest = joined(parts).map(unescaped)
  const before = namespace === rootNamespace ? [namespace, ownSegment] : [namespace]
  return [...before, ...rest].join('/')
}

function isKey(text: string): boolean {
  try {
    checkKey(text)
    return true
  } catch {
    return false
  }
}

function refuseReserved(key: string, segments: readonly string[]): void {
  if (!segments.some((segment) => segment.endsWith(reservedEnd))) return
  throw new StoreError(
    'bad_key',
    `A segment of ${namespaceOf(key)}/… ends in ${reservedEnd}, which MinIO keeps for itself.`,
    'Use another key.',
  )
}
