import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'

/** The address of clients on a Unix socket. */
const bySocket = 'unix'

/** Where a request comes from. */
export type ClientAddress = (incoming: IncomingMessage) => string

export const clientAddress = (trustsProxy: boolean): ClientAddress =>
  trustsProxy ? forwardedAddress : peerAddress

export function peerAddress({ socket }: Pick<IncomingMessage, 'socket'>): string {
  const { remoteAddress } = socket
  return remoteAddress === undefined ? bySocket : plain(remoteAddress)
}

/**
 * What the nearest proxy says. A proxy appends its client's address to `X-Forwarded-For`; everything to the left of that may
 * be forged. So take the right-most address that is not this machine's own. Anyone can send the header, so it counts only
 * on connections from this machine or a private network.
 */
function forwardedAddress(incoming: IncomingMessage): string {
  const peer = peerAddress(incoming)
  const sent = incoming.headers['x-forwarded-for']
  if (typeof sent !== 'string' || !isNearby(peer)) return peer
  for (const each of sent.split(',').reverse()) {
    const address = addressIn(each.trim())
    if (address === null) return peer
    if (!isOwn(address)) return address
  }
  return peer
}

/** `1.2.3.4`, `1.2.3.4:56`, `[::1]:56`, `::1`; null for anything else. */
function addressIn(text: string): string | null {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(text) ?? []
  const address = bracketed ?? dotted ?? text
  return isIP(address) === 0 ? null : plain(address)
}

/** IPv4 as such, also where it comes as IPv6. */
const plain = (address: string): string =>
  address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')

const isOwn = (address: string): boolean => /^127\.|^::1$/.test(address)

/** This machine, private networks, and those that carriers and tunnels use. */
const isNearby = (address: string): boolean =>
  address === bySocket ||
  isOwn(address) ||
  /^10\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\./.test(address) ||
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(address) ||
  /^(f[cd]|fe[89ab])[0-9a-f]{0,2}:/i.test(address)

/** What counts as one client: in IPv6 the /64, since its holder can use every address in it. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail = ''] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === '' ? [] : tail.split(':')
  const zeros = address.includes('::') ? Math.max(0, 8 - groups.length - rest.length) : 0
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...rest]
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
