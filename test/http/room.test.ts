import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { Room } from '../../src/http/room.ts'
import { opened, page } from './unread.ts'

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
      await sleep(3_000)
      // What is small is answered at once, and a page once there is room.
      assert.equal((await fetch(`${server.url}/api/models`)).status, 200)
      const answer = await fetch(`${server.url}/api/tasks?limit=1000`)
      assert.ok((await answer.text()).length > 3_900_000)
      while (read < 3 * 3_900_000 && !slow.closed) await sleep(50)
      assert.ok(read >= 3 * 3_900_000, `${read} bytes came`)
    } finally {
      clearInterval(look)
      for (const socket of [slow, ...sockets]) socket.destroy()
    }
    assert.ok(most < grownMax, `${most} bytes more`)
  }, 120_000)

  test('do not keep out whoever asks for little, though nobody has a token', async () => {
    await using server = await opened('port', { unreadBytesMax, unreadMsMax: 60_000 })
    const sockets: Socket[] = []
    for (let nth = 0; nth < readers; nth++) {
      const socket = (await server.connect()).pause()
      socket.write(page)
      sockets.push(socket)
    }
    try {
      await sleep(1_000)
      const from = performance.now()
      const answer = await fetch(`${server.url}/api/tasks?limit=1`)
      assert.equal(((await answer.json()) as unknown[]).length, 1)
      const tookMs = performance.now() - from
      // Room for long pages comes after 5 s, when the first of those who read nothing are let go.
      assert.ok(tookMs < 3_000, `${tookMs} ms`)
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  }, 60_000)

  test('do not keep out whoever has another token', async () => {
    const made: string[] = []
    using room = new Room({ bytesMax: 4_000_000 })
    let end = () => {}
    const first = new Promise<void>((resolve) => {
      end = resolve
    })
    const [many, one] = ['many', 'one'].map((name) => ({ name, isShort: false }))
    const pages = [room.page(many!, () => first)]
    for (const each of [many!, many!, many!, one!, many!, one!])
      pages.push(room.page(each, async () => void made.push(each.name)))
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
  }, 120_000)
})
