import type { Socket } from 'node:net'

/** How often connections are looked at while a client may read nothing. */
const looksPerLimit = 6

interface Look {
  readonly progress: string
  readonly since: number
}

/**
 * Ends connections whose client reads nothing of what waits for it. The timeouts of Node don't: there, every event that
 * is added to what waits counts as progress.
 */
export function endStalled(sockets: ReadonlySet<Socket>, msMax: number): Disposable {
  const looks = new WeakMap<Socket, Look>()
  const look = () => {
    const now = performance.now()
    for (const socket of sockets) {
      if (socket.writableLength === 0) {
        looks.delete(socket)
        continue
      }
      const progress = progressOf(socket)
      const last = looks.get(socket)
      if (last?.progress !== progress) looks.set(socket, { progress, since: now })
      else if (now - last.since >= msMax) socket.destroy()
    }
  }
  const timer = setInterval(look, Math.ceil(msMax / looksPerLimit)).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

interface Inside {
  /** What a connection with TLS goes over. */
  readonly _parent?: Inside | null
  readonly _handle?: { readonly writeQueueSize?: number } | null
}

/** What the system has taken: whole writes, and what is left of the one under way, as Node's own timeouts ask for it. */
function progressOf(socket: Socket): string {
  const { _parent, _handle } = socket as Inside
  const { writeQueueSize } = (_parent ?? { _handle })._handle ?? {}
  return `${socket.bytesWritten - socket.writableLength} ${writeQueueSize}`
}
