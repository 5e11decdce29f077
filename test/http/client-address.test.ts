import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, test } from 'vitest'
import { clientAddress, networkOf } from '../../src/http/client-address.ts'

const request = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage

describe('the address of a client', () => {
  test('is that of the connection, whatever a header says', () => {
    const addressOf = clientAddress(false)
    assert.equal(addressOf(request('203.0.113.7', '198.51.100.1')), '203.0.113.7')
    assert.equal(addressOf(request('::ffff:203.0.113.7')), '203.0.113.7')
    assert.equal(addressOf(request(undefined, '198.51.100.1')), 'unix')
  })

  const cases: readonly (readonly [string, string | undefined, string | undefined, string])[] = [
    ['no header', '127.0.0.1', undefined, '127.0.0.1'],
    ['one client', '127.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['by a Unix socket', undefined, '203.0.113.7', '203.0.113.7'],
    ['a proxy of a private network', '10.1.2.3', '203.0.113.7', '203.0.113.7'],
    ['a proxy of a private IPv6 network', 'fd00::1', '2001:db8::7', '2001:db8::7'],
    ['what the client made up', '127.0.0.1', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['a client of the own network', '127.0.0.1', '198.51.100.1, 192.168.1.5', '192.168.1.5'],
    ['a second proxy on this machine', '127.0.0.1', '203.0.113.7, ::1', '203.0.113.7'],
    ['a port', '127.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
    ['IPv6 and a port', '127.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['IPv4 in IPv6', '::ffff:127.0.0.1', '::ffff:203.0.113.7', '203.0.113.7'],
    ['no address at the end', '127.0.0.1', '198.51.100.1, unknown', '127.0.0.1'],
    ['nothing at the end', '127.0.0.1', '198.51.100.1,', '127.0.0.1'],
    ['lines for a log', '127.0.0.1', '198.51.100.1\n203.0.113.7', '127.0.0.1'],
    ['only this machine', '127.0.0.1', '127.0.0.1, ::1', '127.0.0.1'],
    ['who comes from afar', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ]
  for (const [name, peer, forwarded, expected] of cases)
    test(`behind a trusted proxy: ${name}`, () => {
      assert.equal(clientAddress(true)(request(peer, forwarded)), expected)
    })

  test('counts as the network of 64 bits where it is IPv6', () => {
    assert.equal(networkOf('203.0.113.7'), '203.0.113.7')
    const same = ['2001:db8:0:1::1', '2001:db8::1:ffff:0:0:1', '2001:0db8:0000:0001:2:3:4:5']
    assert.deepEqual(new Set(same.map(networkOf)), new Set(['2001:db8:0:1']))
    assert.notEqual(networkOf('2001:db8:0:2::1'), networkOf('2001:db8:0:1::1'))
    assert.equal(networkOf('::1'), '0:0:0:0')
    assert.equal(networkOf('1::'), '1:0:0:0')
    assert.equal(networkOf('unix'), 'unix')
  })
})
