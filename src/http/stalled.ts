import type { Socket } from 'node:net'

/** How many looks at a connection fit into its limit. */
const looksPerLimit = 6

interface Look {
  readonly progress: string
  readonly since: number
}

/**
 * Ends connections whose client does not read. Node's own timeouts don't suffice: they restart with every write, even if
 * nothing gets through.
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

/** What the system has accepted: complete writes, and the rest of the current one, which Node's timeouts look at, too. */
function progressOf(socket: Socket): string {
  const { _parent, _handle } = socket as Inside
  const { writeQueueSize } = (_parent ?? { _handle })._handle ?? {}
  return `${socket.bytesWritten - socket.writableLength} ${writeQueueSize}`
}
