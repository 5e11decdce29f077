import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { Cable } from './cable.ts'

const silenceMs = 200

/** Sends back what it gets, behind a cable. */
async function withEcho(body: (cable: Cable, open: () => Promise<Socket>) => Promise<void>) {
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets: Socket[] = []
  {
    await using cable = await Cable.to((server.address() as AddressInfo).port)
    await body(cable, async () => {
      const socket = connect(cable.port, '127.0.0.1')
      socket.on('error', () => {})
      sockets.push(socket)
      await once(socket, 'connect')
      return socket
    })
  }
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
}

const answer = async (socket: Socket): Promise<string> =>
  String(((await once(socket, 'data')) as [Buffer])[0])

test('a cable that is cut silently keeps its connections, and passes nothing until it is mended', () =>
  withEcho(async (cable, open) => {
    const socket = await open()
    socket.write('before')
    assert.equal(await answer(socket), 'before')
    cable.cut({ silent: true })
    const late = await open()
    const answers = Promise.all([answer(socket), answer(late)])
    socket.write('during')
    late.write('late')
    const first = await Promise.race([answers, sleep(silenceMs, 'nothing')])
    assert.equal(first, 'nothing')
    cable.mend()
    assert.deepEqual(await answers, ['during', 'late'])
  }))

test('a cable that is broken ends its connections and takes none until it is mended', () =>
  withEcho(async (cable, open) => {
    const socket = await open()
    const closed = once(socket, 'close')
    cable.cut({ silent: false })
    await closed
    const refused = await open()
    await once(refused, 'close')
    cable.mend()
    const again = await open()
    again.write('again')
    assert.equal(await answer(again), 'again')
  }))
