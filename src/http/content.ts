import { isDeeper } from '../collection/index.ts'

/** What is nested more deeply might exhaust the stack of whoever writes or shows it. */
const depthMax = 1000

/** In lists, what has more bytes is left out: whoever wants it asks for the item. */
export const listedBytesMax = 2_000

/** Bytes as the JSON that they are; else as base64. */
export function shownBytes(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (!isDeeper(text, depthMax)) return JSON.parse(text)
  } catch {
    // No JSON.
  }
  return { base64: Buffer.from(bytes).toString('base64') }
}

/** Whether a value can be shown at all, and has no more characters as JSON than that. */
export function isShowable(value: unknown, charactersMax: number): boolean {
  try {
    const json = JSON.stringify(value) ?? ''
    return json.length <= charactersMax && !isDeeper(json, depthMax)
  } catch {
    return false
  }
}
