import { textIn } from '../../bytes.ts'

export interface ListedObject {
  readonly name: string
  readonly etag: string
  readonly isEmpty: boolean
}

/** One version of one object. */
export interface VersionName {
  readonly name: string
  readonly id: string
}

export interface ListedVersion extends VersionName {
  /** Empty for a delete marker. */
  readonly etag: string
  readonly isMarker: boolean
  readonly isEmpty: boolean
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** An element of an answer of S3, which has no attributes that matter. */
class Element {
  readonly name: string
  readonly children: Element[] = []
  /** What stands directly in it. */
  content = ''

  constructor(name: string) {
    this.name = name
  }

  text(name: string): string {
    return this.children.find((child) => child.name === name)?.content ?? ''
  }

  /** The children of these names, in their order: versions and delete markers alternate. */
  each(...names: readonly string[]): Element[] {
    return this.children.filter(({ name }) => names.includes(name))
  }
}

/** A comment, a text as it is, a declaration, a tag, or a text with entities. */
const token =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<[?!][^>]*>|<(\/?)([^\s<>/]+)(?:\s[^<>]*?)?(\/?)>|([^<]+)/g

/** The element of this name at the top of an answer; null where it is another, or no XML at all. */
function rootOf(body: Uint8Array, name: string): Element | null {
  const text = textIn(body)
  if (!/^\s*</.test(text) || !text.includes(`<${name}`)) return null
  return parsed(text)?.children.find((element) => element.name === name) ?? null
}

/** Written out: packages for all of XML are larger than the rest of the page that asks a bucket. */
function parsed(text: string): Element | null {
  const open = [new Element('')]
  let end = 0
  for (const match of text.matchAll(token)) {
    const [whole, verbatim, slash, name, isEmpty, escaped] = match
    if (match.index !== end) return null
    end += whole.length
    const inner = open.at(-1) as Element
    if (verbatim !== undefined) inner.content += verbatim
    else if (escaped !== undefined) inner.content += unescaped(escaped)
    else if (slash === '/') {
      if (inner.name !== name) return null
      open.pop()
    } else if (name !== undefined) {
      const element = new Element(name)
      inner.children.push(element)
      if (isEmpty === '') open.push(element)
    }
  }
  return end === text.length && open.length === 1 ? (open[0] as Element) : null
}

/** Names come percent-encoded, since XML can't hold them all; not every server does it for versions. */
const decoderFor = (root: Element): ((text: string) => string) =>
  root.text('EncodingType') === 'url'
    ? (text) => decodeURIComponent(text.replaceAll('+', ' '))
    : (text) => text

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
}

const unescaped = (text: string): string =>
  text.replace(/&(?:(\w+)|#(\d+)|#x([\da-f]+));/gi, (whole, word, decimal, hex) => {
    if (word !== undefined) return entities[word] ?? whole
    return String.fromCodePoint(decimal !== undefined ? Number(decimal) : Number.parseInt(hex, 16))
  })

const unquoted = (etag: string): string => etag.replace(/^"|"$/g, '')

export function parseObjects(
  body: Uint8Array,
): { objects: ListedObject[]; nextToken: string | null } | null {
  const root = rootOf(body, 'ListBucketResult')
  if (!root) return null
  const decode = decoderFor(root)
  const objects = root.each('Contents').map((item) => ({
    name: decode(item.text('Key')),
    etag: unquoted(item.text('ETag')),
    isEmpty: item.text('Size') === '0',
  }))
  const isTruncated = root.text('IsTruncated') === 'true'
  return { objects, nextToken: isTruncated ? root.text('NextContinuationToken') : null }
}

export function parseVersions(body: Uint8Array): {
  versions: ListedVersion[]
  next: { key: string; version: string } | null
} | null {
  const root = rootOf(body, 'ListVersionsResult')
  if (!root) return null
  const decode = decoderFor(root)
  const versions = root.each('Version', 'DeleteMarker').map((item) => ({
    name: decode(item.text('Key')),
    id: item.text('VersionId'),
    etag: unquoted(item.text('ETag')),
    isMarker: item.name === 'DeleteMarker',
    isEmpty: item.text('Size') === '0',
    at: Date.parse(item.text('LastModified')),
  }))
  const key = decode(root.text('NextKeyMarker'))
  const version = root.text('NextVersionIdMarker')
  return { versions, next: root.text('IsTruncated') === 'true' ? { key, version } : null }
}

/** Whether a bucket keeps versions; one that is suspended keeps those that it has. */
export function parseVersioning(body: Uint8Array): 'on' | 'suspended' | 'off' | null {
  const root = rootOf(body, 'VersioningConfiguration')
  const status = root?.text('Status')
  return root && (status === 'Enabled' ? 'on' : status === 'Suspended' ? 'suspended' : 'off')
}

/** The names of what was not deleted. */
export function parseUndeleted(body: Uint8Array): string[] | null {
  const root = rootOf(body, 'DeleteResult')
  return root?.each('Error').map((item) => item.text('Key')) ?? null
}
