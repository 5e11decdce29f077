/** Browsers have none. Where there is one it takes a third of the time of a `TextEncoder`, with short texts. */
const { Buffer: buffers } = globalThis as { readonly Buffer?: typeof Buffer }
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export const encodeText: (text: string) => Uint8Array = buffers
  ? (text) => buffers.from(text)
  : (text) => encoder.encode(text)

/** The text of bytes that should be UTF-8, with replacement characters where they are not. */
export const textIn: (bytes: Uint8Array) => string = buffers
  ? ({ buffer, byteOffset, byteLength }) => buffers.from(buffer, byteOffset, byteLength).toString()
  : (bytes) => decoder.decode(bytes)

/** A few bytes as text, a character each. */
export const charactersIn: (bytes: Uint8Array, from: number, to: number) => string = buffers
  ? ({ buffer, byteOffset, byteLength }, from, to) =>
      buffers.from(buffer, byteOffset, byteLength).toString('latin1', from, to)
  : (bytes, from, to) => String.fromCharCode(...bytes.subarray(from, to))

export const byteLengthOf: (text: string) => number = buffers
  ? (text) => buffers.byteLength(text)
  : (text) => encoder.encode(text).byteLength

export const isSameBytes: (a: Uint8Array, b: Uint8Array) => boolean = buffers
  ? (a, b) => buffers.compare(a, b) === 0
  : (a, b) => a.byteLength === b.byteLength && a.every((byte, at) => byte === b[at])
