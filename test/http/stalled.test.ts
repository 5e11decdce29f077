import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect as connectPlain, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { describe, test } from 'vitest'
import { Room } from '../../src/http/room.ts'
import { Stalled } from '../../src/http/stalled.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { until } from '../eventually.ts'
import { temporaryFolder } from '../store/ground.ts'
import { makeCertificate, putPair } from './certificate.ts'
import { servedAll } from './holdfast/served.ts'
import { request } from './raw.ts'

const unreadMsMax = 2_000

/** So many that a page of them is cut at 4 MB. */
async function plant(store: Store): Promise<void> {
  const tree = new TaskTree(store)
  const tasks = Array.from({ length: 80 }, (_, nth) => ({
    title: `task ${nth}`,
    body: 'x'.repeat(60_000),
  }))
  for (const task of tasks) await tree.create(task)
}

/** The same server by each way in, and how to connect to it. */
async function opened(way: 'port' | 'socket' | 'TLS', options = {}) {
  const folder = await temporaryFolder()
  const [certPath, keyPath] = [folder.path('cert.pem'), folder.path('key.pem')]
  const pair = makeCertificate()
  putPair(pair, certPath, keyPath)
  const path = folder.path('s.sock')
  const store = await openStore('memory:')
  await plant(store)
  const serving = await servedAll(store, {
    ...{ unreadMsMax, ...options },
    ...(way === 'socket' ? { socket: path } : way === 'TLS' ? { tls: { certPath, keyPath } } : {}),
  })
  const port = way === 'socket' ? 0 : Number(new URL(serving.url).port)
  const connect = async (): Promise<Socket> => {
    const socket =
      way === 'socket'
        ? connectPlain(path)
        : way === 'port'
          ? connectPlain(port, '127.0.0.1')
          : connectTls({ port, host: '127.0.0.1', ca: pair.cert })
    await once(socket, way === 'TLS' ? 'secureConnect' : 'connect')
    return socket.on('error', () => {})
  }
  return {
    ...{ store, connect, url: serving.url },
    [Symbol.asyncDispose]: async () => {
      await serving[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const page = request('GET /api/tasks?limit=1000')

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
async function unreadFor(msMax: number) {
  const sockets = new Set<Socket>()
  const stalled = new Stalled(sockets, msMax)
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.write(Buffer.alloc(20_000_000))
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

describe('many who read nothing', () => {
  const readers = 40
  const unreadBytesMax = 48_000_000
  const grownMax = 400_000_000

  test('take a bounded amount of memory, and others are answered', async () => {
    await using server = await opened('port', { unreadBytesMax, unreadMsMax: 60_000 })
    const slow = await server.connect()
    let read = 0
    slow.on('data', (chunk) => {
      read += chunk.length
      slow.pause()
      setTimeout(() => slow.resume(), 10)
    })
    for (let nth = 0; nth < 3; nth++) slow.write(page)
    const before = process.memoryUsage().rss
    const sockets: Socket[] = []
    for (let nth = 0; nth < readers; nth++) {
      const socket = (await server.connect()).pause()
      for (let ask = 0; ask < 4; ask++) socket.write(page)
      sockets.push(socket)
    }
    let most = 0
    const look = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - before)
    }, 20)
    try {
      // What they take in this time is what is measured.
      await sleep(3_000)
      // What is small is answered at once, and a page once there is room.
      assert.equal((await fetch(`${server.url}/api/models`)).status, 200)
      const answer = await fetch(`${server.url}/api/tasks?limit=1000`)
      assert.ok((await answer.text()).length > 3_900_000)
      await until(() => read >= 3 * 3_900_000 || slow.closed)
      assert.ok(read >= 3 * 3_900_000, `${read} bytes came`)
    } finally {
      clearInterval(look)
      for (const socket of [slow, ...sockets]) socket.destroy()
    }
    assert.ok(most < grownMax, `${most} bytes more`)
  })

  test('do not keep out whoever has another token', async () => {
    const made: string[] = []
    using room = new Room({ bytesMax: 4_000_000 })
    let end = () => {}
    const first = new Promise<void>((resolve) => {
      end = resolve
    })
    const pages = [room.page('many', () => first)]
    for (const name of ['many', 'many', 'many', 'one', 'many', 'one'])
      pages.push(room.page(name, async () => void made.push(name)))
    // No event tells that nothing is made.
    await sleep(300)
    assert.deepEqual(made, [])
    end()
    await Promise.all(pages)
    assert.deepEqual(made, ['many', 'one', 'many', 'one', 'many', 'many'])
  })

  test('who read all of it at once are all answered, however many', async () => {
    await using server = await opened('port', { unreadBytesMax: 8_000_000 })
    const lengths = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const answer = await fetch(`${server.url}/api/tasks?limit=1000`)
        return (await answer.arrayBuffer()).byteLength
      }),
    )
    for (const length of lengths) assert.ok(length > 3_900_000, `${length} bytes`)
  })
})
