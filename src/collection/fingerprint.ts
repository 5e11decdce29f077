import { blake3 } from '@noble/hashes/blake3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** On which state of a document a change depends, as its model names it; on none where it is left out. */
export interface Condition {
  /** What the model's `stateOf` said of the document that was seen. */
  readonly state?: string | undefined
}

/** What a state looks like as 16 hex digits, so that whoever saw it can say which one they mean, in browsers, too. */
export const fingerprint = (state: readonly unknown[]): string =>
  bytesToHex(blake3(utf8ToBytes(JSON.stringify(state)), { dkLen: 8 }))
