import { once } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { openStore, type Store } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { temporaryFolder } from '../store/ground.ts'
import { makeCertificate, putPair } from './certificate.ts'
import { servedAll } from './holdfast/served.ts'
import { request } from './raw.ts'

export const unreadMsMax = 2_000

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
export async function opened(way: 'port' | 'socket' | 'TLS', options = {}) {
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

export const page = request('GET /api/tasks?limit=1000')
