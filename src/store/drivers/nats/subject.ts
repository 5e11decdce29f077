/**
 * How keys read on NATS. The namespace is a KV bucket, which is a stream `KV_<namespace>` on the subjects
 * `$KV.<namespace>.>`; the segments below it are the tokens of a subject, joined by dots. A token holds
 * letters, digits, `-` and `_` as they are; every other character becomes `=` and the hex of its UTF-8
 * bytes, so that every tool for KV buckets can name the key.
 */
const unsafe = /[^A-Za-z0-9_-]/gu
const escaped = /(?:=[0-9A-F]{2})+/g

export const streamOf = (namespace: string): string => `KV_${namespace}`

/** The namespace of a stream; null where it is none that a key could have. */
export const namespaceOfStream = (stream: string): string | null =>
  /^KV_([a-z0-9_]{1,32})$/.exec(stream)?.[1] ?? null

/** The subject of a key, or of a prefix of whole segments. */
export const subjectOf = (key: string): string => `$KV.${key.split('/').map(escapeToken).join('.')}`

/** The subjects of all keys below a prefix, which is not empty. */
export const subjectsBelow = (prefix: string): string => `${subjectOf(prefix)}.>`

export function keyOf(subject: string): string {
  const [, namespace, ...tokens] = subject.split('.')
  return [namespace, ...tokens.map(unescapeToken)].join('/')
}

const escapeToken = (segment: string): string =>
  segment.replace(unsafe, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  )

const unescapeToken = (token: string): string =>
  token.replace(escaped, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString())
