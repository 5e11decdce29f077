import { createHash, createHmac } from 'node:crypto'
import type { Hashes } from './sign.ts'

/** Those of Node: with the packages for browsers a request would cost several times as much. */
export const hashes: Hashes = {
  sha256: (data) => createHash('sha256').update(data).digest('hex'),
  hmac: (key, text) => createHmac('sha256', key).update(text).digest('hex'),
  hmacKey: (key, text) => createHmac('sha256', key).update(text).digest(),
  md5: (data) => createHash('md5').update(data).digest('hex'),
}
