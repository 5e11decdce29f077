import { createHash } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import MersenneTwister from 'mersenne-twister'

/** How many nonces to draw before something must be wrong. */
export const idsMax = 100

/**
 * The ids that a task may have, one after the other, until one is free: the hash of its time, its text and a
 * nonce of 16 bytes, drawn from a Mersenne twister that is seeded with the time and the host's address.
 */
export function* idsFor(task: { createdMs: number; created: string; text: string; mac: bigint }) {
  const { createdMs, created, text, mac } = task
  const twister = new MersenneTwister([...halves(BigInt(createdMs)), ...halves(mac)])
  for (let nth = 0; nth < idsMax; nth++)
    yield createHash('sha512')
      .update(`${created}\n${text}\n`)
      .update(nonceOf(twister))
      .digest('hex')
}

/** Four outputs, little-endian. */
function nonceOf(twister: MersenneTwister): Uint8Array {
  const nonce = new DataView(new ArrayBuffer(16))
  for (let at = 0; at < 16; at += 4) nonce.setUint32(at, twister.random_int(), true)
  return new Uint8Array(nonce.buffer)
}

const halves = (number: bigint): number[] => [
  Number(number & 0xffff_ffffn),
  Number((number >> 32n) & 0xffff_ffffn),
]

/** The address of the first network interface that is not internal; 0 where there is none. */
export function macAddress(): bigint {
  const external = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal }) => !internal)
  return BigInt(`0x${(external?.mac ?? '0').replaceAll(':', '')}`)
}
