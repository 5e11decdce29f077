import { hmac } from '@noble/hashes/hmac.js'
import { md5 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Hashes } from '../../../src/store/drivers/s3/sign.ts'

const bytesOf = (data: string | Uint8Array): Uint8Array =>
  typeof data === 'string' ? utf8ToBytes(data) : data

/** Made here: those of the browser answer by promises, lack MD5, and are there on pages of HTTPS and this computer only. */
export const hashes: Hashes = {
  sha256: (data) => bytesToHex(sha256(bytesOf(data))),
  hmac: (key, text) => bytesToHex(hmac(sha256, key, utf8ToBytes(text))),
  hmacKey: (key, text) => hmac(sha256, bytesOf(key), utf8ToBytes(text)),
  md5: (data) => bytesToHex(md5(data)),
}
