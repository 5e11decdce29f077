/** A number as a segment of a key: 16 hex digits, so that keys sort as numbers do. */
export const segmentOf = (seq: number): string => seq.toString(16).padStart(16, '0')

/** The number that a key ends with; null where that is none. */
export function seqOf(key: string): number | null {
  const digits = key.slice(key.lastIndexOf('/') + 1)
  const seq = /^[0-9a-f]{16}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN
  return Number.isSafeInteger(seq) ? seq : null
}

/** A number as 8 bytes, big-endian. */
export function bytesOf(seq: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(seq))
  return bytes
}

/** Null for what is no such number. */
export function numberIn(value: Uint8Array): number | null {
  if (value.byteLength !== 8) return null
  const seq = Number(new DataView(value.buffer, value.byteOffset, 8).getBigUint64(0))
  return Number.isSafeInteger(seq) ? seq : null
}
