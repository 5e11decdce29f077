import { XMLBuilder, XMLParser } from 'fast-xml-parser'

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

/** Elements in the order in which they stand: versions and delete markers alternate. */
const parser = new XMLParser({
  preserveOrder: true,
  parseTagValue: false,
  trimValues: false,
  // The parser counts entities and gives up at a thousand, and a page of quoted ETags has two thousand.
  processEntities: false,
})

type Node = Readonly<Record<string, unknown>>

/** The element of this name at the top of an answer; null where it is another, or no XML at all. */
function rootOf(body: Buffer, name: string): Element | null {
  const text = body.toString('utf8')
  if (!/^\s*</.test(text) || !text.includes(`<${name}`)) return null
  const node = (parser.parse(text) as Node[]).find((candidate) => name in candidate)
  return node ? new Element(node[name] as Node[]) : null
}

class Element {
  readonly #children: readonly Node[]

  constructor(children: readonly Node[]) {
    this.#children = children
  }

  text(name: string): string {
    const child = this.#children.find((candidate) => name in candidate)
    const parts = (child?.[name] ?? []) as readonly Node[]
    return unescaped(parts.map((part) => String(part['#text'] ?? '')).join(''))
  }

  /** The children of these names, in their order. */
  *each(...names: readonly string[]): Generator<[string, Element]> {
    for (const child of this.#children) {
      const name = names.find((candidate) => candidate in child)
      if (name !== undefined) yield [name, new Element(child[name] as Node[])]
    }
  }
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
  body: Buffer,
): { objects: ListedObject[]; nextToken: string | null } | null {
  const root = rootOf(body, 'ListBucketResult')
  if (!root) return null
  const decode = decoderFor(root)
  const objects = Array.from(root.each('Contents'), ([, item]) => ({
    name: decode(item.text('Key')),
    etag: unquoted(item.text('ETag')),
    isEmpty: item.text('Size') === '0',
  }))
  const isTruncated = root.text('IsTruncated') === 'true'
  return { objects, nextToken: isTruncated ? root.text('NextContinuationToken') : null }
}

export function parseVersions(body: Buffer): {
  versions: ListedVersion[]
  next: { key: string; version: string } | null
} | null {
  const root = rootOf(body, 'ListVersionsResult')
  if (!root) return null
  const decode = decoderFor(root)
  const versions = Array.from(root.each('Version', 'DeleteMarker'), ([kind, item]) => ({
    name: decode(item.text('Key')),
    id: item.text('VersionId'),
    etag: unquoted(item.text('ETag')),
    isMarker: kind === 'DeleteMarker',
    isEmpty: item.text('Size') === '0',
    at: Date.parse(item.text('LastModified')),
  }))
  const key = decode(root.text('NextKeyMarker'))
  const version = root.text('NextVersionIdMarker')
  return { versions, next: root.text('IsTruncated') === 'true' ? { key, version } : null }
}

/** Whether a bucket keeps versions; one that is suspended keeps those that it has. */
export function parseVersioning(body: Buffer): 'on' | 'suspended' | 'off' | null {
  const root = rootOf(body, 'VersioningConfiguration')
  const status = root?.text('Status')
  return root && (status === 'Enabled' ? 'on' : status === 'Suspended' ? 'suspended' : 'off')
}

/** What asks for versions to be deleted; the answer then names only those that were not. */
export function deletionBody(versions: readonly VersionName[]): Uint8Array {
  const objects = versions.map(({ name, id }) => ({ Key: name, VersionId: id }))
  const text: string = new XMLBuilder({}).build({ Delete: { Quiet: 'true', Object: objects } })
  return new TextEncoder().encode(text)
}

/** The names of what was not deleted. */
export function parseUndeleted(body: Buffer): string[] | null {
  const root = rootOf(body, 'DeleteResult')
  return root && Array.from(root.each('Error'), ([, item]) => item.text('Key'))
}
