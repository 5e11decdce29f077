import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect as connectPlain, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { Stalled } from '../../src/http/stalled.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { until } from '../eventually.ts'
import { request } from './raw.ts'
import { opened, page, unreadMsMax } from './unread.ts'

/** Until the other side has ended a connection, seen by what can no longer be written. */
const ended = (socket: Socket): Promise<unknown> =>
  until(() => {
    if (socket.closed || socket.errored || socket.destroyed) return true
    socket.write(request('GET /api/models'))
    return false
  })

for (const way of ['port', 'socket', 'TLS'] as const)
  describe(`who reads nothing, by ${way}`, () => {
    test('of pages loses the connection, and not before the time', async () => {
      await using server = await opened(way)
      const socket = (await server.connect()).pause()
      for (let nth = 0; nth < 8; nth++) socket.write(page)
      // Nothing more is written meanwhile: Node may take a request for none that comes by TLS after many without an answer.
      await sleep(unreadMsMax / 2)
      assert.ok(!socket.closed)
      await ended(socket)
    })

    test('but slowly keeps it', async () => {
      await using server = await opened(way)
      const socket = await server.connect()
      let bytes = 0
      socket.on('data', (chunk) => {
        bytes += chunk.length
        socket.pause()
        setTimeout(() => socket.resume(), 5)
      })
      for (let nth = 0; nth < 6; nth++) socket.write(page)
      await until(() => bytes >= 6 * 3_900_000 || socket.closed)
      assert.ok(bytes >= 6 * 3_900_000, `${bytes} bytes came`)
      socket.destroy()
    })

    test('of a stream loses it, though events and signs of life are added all the while', async () => {
      await using server = await opened(way, { keepAliveMs: 20 })
      const socket = (await server.connect()).pause()
      socket.write(request('GET /api/events'))
      const tree = new TaskTree(server.store)
      const news = setInterval(() => {
        for (let nth = 0; nth < 5; nth++)
          void tree.create({ title: 'news', body: 'x'.repeat(60_000) })
      }, 50)
      try {
        await ended(socket)
      } finally {
        clearInterval(news)
      }
    })
  })

/** A connection with megabytes to read, ended once its client has read nothing for so long. */
async function unreadFor(msMax: number, bytes = 20_000_000) {
  const sockets = new Set<Socket>()
  const stalled = new Stalled(sockets, msMax)
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.write(Buffer.alloc(bytes))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connectPlain((server.address() as AddressInfo).port, '127.0.0.1').pause()
  await until(() => sockets.size > 0)
  const [socket] = [...sockets] as [Socket]
  return {
    ...{ client, socket },
    [Symbol.dispose]: () => {
      stalled[Symbol.dispose]()
      client.destroy()
      server.close()
    },
  }
}

test('what is added to that which waits is no progress', async () => {
  using watched = await unreadFor(1_000)
  const { socket } = watched
  let added = 0
  const more = setInterval(() => {
    if (!socket.writable) return
    socket.write('x')
    added++
  }, 20)
  await until(() => socket.destroyed)
  clearInterval(more)
  assert.ok(added > 1, 'something was added all the while')
})

test.runIf(process.platform === 'linux')(
  'what fits into the buffers of the system counts, too, though more is added now and then',
  async () => {
    using watched = await unreadFor(1_000, 1_000_000)
    const { socket } = watched
    while (socket.writableLength > 0) await sleep(10)
    const more = setInterval(() => socket.writable && socket.write('x'), 400)
    try {
      for (const from = performance.now(); !socket.destroyed; await sleep(10))
        assert.ok(performance.now() - from < 10_000)
    } finally {
      clearInterval(more)
    }
  },
)

test('a client that reads a little at a time keeps its connection, even if the system takes no more for long', async () => {
  using watched = await unreadFor(1_000)
  const { client, socket } = watched
  const accepted: number[] = []
  for (const from = performance.now(); performance.now() - from < 6_000; await sleep(100)) {
    client.read(16_384)
    accepted.push(socket.bytesWritten - socket.writableLength)
    assert.ok(!socket.destroyed)
  }
  // For most of that time nothing that the server wrote went any further.
  assert.ok(new Set(accepted).size < accepted.length / 4)
})

describe('who asks much before reading', () => {
  test('loses the connection beyond 1,000 requests', async () => {
    await using server = await opened('port', { unreadMsMax: 60_000 })
    const socket = (await server.connect()).pause()
    socket.write(Buffer.concat([page, page, page, page]))
    socket.write(String(request('GET /api/models')).repeat(5_000))
    await ended(socket)
  })

  test('is answered one by one, in order, and others meanwhile', async () => {
    await using server = await opened('port')
    const socket = (await server.connect()).pause()
    const before = process.memoryUsage().rss
    socket.write(Buffer.concat(Array.from({ length: 1_000 }, () => page)))
    // What it makes of them in this time is what is measured.
    await sleep(1_000)
    assert.equal((await fetch(`${server.url}/api/models`)).status, 200)
    // All at once it would be 4 GB.
    assert.ok(process.memoryUsage().rss - before < 500_000_000)
    socket.destroy()
    const order = await server.connect()
    let text = ''
    order.setEncoding('latin1').on('data', (chunk) => {
      text += chunk
    })
    order.write(Buffer.concat(['/a', '/b', '/c', '/d'].map((path) => request(`GET ${path}`))))
    while ((text.match(/"path"/g) ?? []).length < 4) await once(order, 'data')
    assert.deepEqual(
      [...text.matchAll(/"path":"(\/\w)"/g)].map(([, path]) => path),
      ['/a', '/b', '/c', '/d'],
    )
    order.destroy()
  })
})
