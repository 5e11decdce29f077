import { charactersIn, encodeText } from '../../bytes.ts'

/*
 * An ETag is a hash of the content: the same bytes written again would bring an old revision back. So every body
 * carries the id of its write, a ULID. A JSON object gets it as its last member "_w", other values as a first
 * line "w:…"; reading takes it away again, byte for byte. What another tool wrote has none and is read as it is.
 */

const ulid = '[0-7][0-9A-HJKMNP-TV-Z]{25}'
const memberPattern = new RegExp(`(,?)"_w":"(${ulid})"\\}$`)
const linePattern = new RegExp(`^w:(${ulid})\\n`)

/** How many bytes at the end hold `,"_w":"…"}`. */
const memberTailBytes = 36
const lineBytes = 'w:'.length + 26 + '\n'.length

/** The value with the id of its write in it. */
export function stamp(value: Uint8Array, id: string): Uint8Array {
  const brace = closingBrace(value)
  if (brace === -1) return joined([encodeText(`w:${id}\n`), value])
  const member = encodeText(`${isOpening(value, brace) ? '' : ','}"_w":"${id}"`)
  return joined([value.subarray(0, brace), member, value.subarray(brace)])
}

/** What {@link stamp} was given, as plain bytes of its own; a body that carries no id is the value itself. */
export function unstamp(body: Uint8Array): Uint8Array {
  if (linePattern.test(charactersIn(body, 0, lineBytes)))
    return new Uint8Array(body.subarray(lineBytes))
  if (body[0] !== 0x7b) return new Uint8Array(body)
  const member = lastMember(body)
  if (!member) return new Uint8Array(body)
  return joined([body.subarray(0, member.at), body.subarray(member.at + member.length)])
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

/** Where the id stands in a body that starts with a brace: from its comma, where it has one, up to the last brace. */
function lastMember(bytes: Uint8Array): { at: number; length: number } | null {
  const end = trimmedEnd(bytes)
  const from = Math.max(0, end - memberTailBytes)
  const match = memberPattern.exec(charactersIn(bytes, from, end))
  if (!match) return null
  const [text, comma] = match
  const at = from + match.index
  // Without a comma it is ours only as the one member of an object that was empty.
  if (comma === '' && !isOpening(bytes, at)) return null
  return { at, length: text.length - 1 }
}

/** Whether nothing but a brace stands before this place. */
const isOpening = (bytes: Uint8Array, end: number): boolean =>
  bytes[0] === 0x7b && trimmedEnd(bytes.subarray(0, end)) === 1

/** Where the last brace of a JSON object stands, or -1 where the bytes are no JSON object. */
function closingBrace(value: Uint8Array): number {
  if (value[0] !== 0x7b) return -1
  const brace = trimmedEnd(value) - 1
  return value[brace] === 0x7d && isJson(value) ? brace : -1
}

function trimmedEnd(bytes: Uint8Array): number {
  let end = bytes.byteLength
  while (end > 0 && isWhite(bytes[end - 1] as number)) end--
  return end
}

// What JSON takes for white space: space, tab, line feed, carriage return.
const isWhite = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function isJson(value: Uint8Array): boolean {
  try {
    JSON.parse(strict.decode(value))
    return true
  } catch {
    return false
  }
}

const typeOfExtension: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
}

/** For browsers and other tools that open the object. */
export function contentType(key: string, body: Uint8Array): string {
  const extension = /\.(\w+)$/.exec(key)?.[1] ?? ''
  if (Object.hasOwn(typeOfExtension, extension)) return typeOfExtension[extension] as string
  return body[0] === 0x7b ? 'application/json' : 'application/octet-stream'
}
