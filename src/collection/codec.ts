import { encodeText } from '../store/internal.ts'

/** How a document is written as bytes, and read back. */
export interface Codec<T> {
  encode(value: T): Uint8Array
  /** Throws, with a message that says what is wrong, unless the bytes are a whole document of this id. */
  decode(bytes: Uint8Array, id: string): T
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export { encodeText }

/** Throws on bytes that are no UTF-8, rather than put replacement characters into somebody's data. */
export const decodeText = (bytes: Uint8Array): string => decoder.decode(bytes)

/** Documents as JSON. `check` turns what was parsed into a document, or throws with what is wrong with it. */
export const jsonCodec = <T>(check: (parsed: unknown, id: string) => T): Codec<T> => ({
  encode: (value) => encodeText(JSON.stringify(value)),
  decode: (bytes, id) => check(JSON.parse(decodeText(bytes)), id),
})
