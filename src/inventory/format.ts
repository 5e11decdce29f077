import { createHash, type Hash } from 'node:crypto'

/*
 * An export is text, a line for each thing:
 *
 *   {"format":"holdfast-export","version":1,"store":"sqlite","exported_at":"…"}
 *   {"key":"utask_tasks/2f8c…","value":"{\"id\":…}"}     a document, byte for byte; "base64" in place of "value" where it is no UTF-8
 *   …
 *   {"end":true,"documents":47,"models":{"list":12,…},"sha256":"…"}     the hash of all bytes before this line
 *
 * Documents come model by model, and within a space in the order of their keys, so no key stands there twice.
 */
export const formatName = 'holdfast-export'
export const formatVersion = 1

export interface Header {
  readonly format: string
  readonly version: number
  /** The kind of store that it came from. */
  readonly store: string
  readonly exported_at: string
}

export interface Trailer {
  readonly end: true
  readonly documents: number
  /** How many each model has; those that have none are left out. */
  readonly models: Readonly<Record<string, number>>
  /** How many documents changed while they were exported; left out where none did. */
  readonly changing?: number
  readonly sha256: string
}

/** A document on its way from one store to another. */
export interface Parcel {
  readonly key: string
  readonly value: Uint8Array
}

/** A megabyte of control characters, each escaped, and a key. */
export const lineBytesMax = 8 * 1024 * 1024

export const newHash = (): Hash => createHash('sha256')

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function lineOf({ key, value }: Parcel): string {
  try {
    return `${JSON.stringify({ key, value: utf8.decode(value) })}\n`
  } catch {
    return `${JSON.stringify({ key, base64: Buffer.from(value).toString('base64') })}\n`
  }
}

/** Null where a line holds no document. */
export function parcelIn(line: unknown): Parcel | null {
  const { key, value, base64, ...rest } = line as Record<string, unknown>
  if (typeof key !== 'string' || Object.keys(rest).length > 0) return null
  if (typeof value === 'string' && base64 === undefined)
    return value.isWellFormed() ? { key, value: new TextEncoder().encode(value) } : null
  if (typeof base64 !== 'string' || value !== undefined) return null
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? { key, value: new Uint8Array(bytes) } : null
}
