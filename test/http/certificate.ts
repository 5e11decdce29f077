import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { chmodSync, renameSync, writeFileSync } from 'node:fs'

/** A certificate and its key, as PEM. */
export interface Made {
  readonly cert: string
  readonly key: string
}

const dayMs = 86_400_000

/** A certificate that signs itself, for localhost and 127.0.0.1, good for a day: none is checked in that could expire. */
export function makeCertificate(name = 'localhost'): Made {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const unsigned = sequence(
    tagged(0xa0, integer(2)),
    integer(Math.floor(Math.random() * 1_000_000_000)),
    ecdsaWithSha256,
    nameOf(name),
    sequence(time(Date.now() - dayMs), time(Date.now() + dayMs)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(alternativeNames)),
  )
  const signature = bits(sign('sha256', unsigned, privateKey))
  return {
    cert: pem('CERTIFICATE', sequence(unsigned, ecdsaWithSha256, signature)),
    key: pemOf(privateKey),
  }
}

/** Puts a pair in place, each file in one instant, the key for its owner alone. */
export function putPair({ cert, key }: Made, certPath: string, keyPath: string): void {
  for (const [path, text] of [
    [certPath, cert],
    [keyPath, key],
  ] as const) {
    writeFileSync(`${path}.new`, text)
    chmodSync(`${path}.new`, 0o600)
    renameSync(`${path}.new`, path)
  }
}

const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string

const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${(der.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END ${label}-----\n`

/** DER: a tag, a length, and what it holds. */
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length]
  return Buffer.concat([Buffer.from([tag, ...size.map((byte) => byte & 0xff)]), content])
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts)
const bits = (bytes: Buffer): Buffer => tagged(0x03, Buffer.from([0]), bytes)
const octets = (bytes: Buffer): Buffer => tagged(0x04, bytes)
const identifier = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'))

function integer(value: number): Buffer {
  const hex = value.toString(16)
  const bytes = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')
  return tagged(0x02, ...((bytes[0] as number) > 127 ? [Buffer.from([0])] : []), bytes)
}

const time = (ms: number): Buffer =>
  tagged(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14)}Z`))

const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'))

const nameOf = (name: string): Buffer =>
  sequence(tagged(0x31, sequence(identifier('550403'), tagged(0x0c, Buffer.from(name)))))

const alternativeNames = sequence(
  identifier('551d11'),
  octets(
    sequence(tagged(0x82, Buffer.from('localhost')), tagged(0x87, Buffer.from([127, 0, 0, 1]))),
  ),
)
