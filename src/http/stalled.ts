import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

/** How many looks at a connection fit into its limit. */
const looksPerLimit = 6

interface Look {
  /** What the system has accepted of what was written. */
  readonly accepted: string
  /** Of that, what the client has not confirmed yet, where the system tells. */
  readonly unconfirmed: number | undefined
  /** When this was first seen, and when anything was. */
  readonly since: number
  readonly heldSince: number
}

/**
 * Ends connections whose client does not read. Node's own timeouts don't suffice: they restart with every write, even if
 * nothing gets through.
 */
export class Stalled implements Disposable {
  readonly #sockets: ReadonlySet<Socket>
  readonly #msMax: number
  readonly #timer: NodeJS.Timeout
  readonly #looks = new WeakMap<Socket, Look>()
  #looking: Promise<void> | null = null

  constructor(sockets: ReadonlySet<Socket>, msMax: number) {
    this.#sockets = sockets
    this.#msMax = msMax
    this.#timer = setInterval(() => void this.look(), Math.ceil(msMax / looksPerLimit)).unref()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  /** Connections with something to read, those first whose client has been reading nothing for longest, then by when it began. */
  waiting(): { readonly socket: Socket; readonly stillMs: number; readonly heldMs: number }[] {
    const now = performance.now()
    return [...this.#sockets]
      .filter((socket) => socket.writableLength > 0)
      .map((socket) => {
        const { accepted, since = now, heldSince = now } = this.#looks.get(socket) ?? {}
        const isStill = accepted === acceptedOf(socket)
        return { socket, stillMs: isStill ? now - since : 0, heldMs: now - heldSince }
      })
      .sort((a, b) => b.stillMs - a.stillMs || b.heldMs - a.heldMs)
  }

  async #look(): Promise<void> {
    const looks = this.#looks
    const waiting = [...this.#sockets].filter((socket) => socket.writableLength > 0)
    const isSuspect = (socket: Socket) => looks.get(socket)?.accepted === acceptedOf(socket)
    // A system that holds megabytes takes more only once it is rid of a third: a slow client may need minutes for that.
    const queues = waiting.some(isSuspect) ? await unconfirmedBytes() : new Map<string, number>()
    const now = performance.now()
    for (const socket of waiting) {
      const last = looks.get(socket)
      const accepted = acceptedOf(socket)
      const unconfirmed = queues.get(endsOf(socket)) ?? last?.unconfirmed
      const isStill =
        last?.accepted === accepted && (last.unconfirmed ?? unconfirmed) === unconfirmed
      const since = isStill ? last.since : now
      looks.set(socket, { accepted, unconfirmed, since, heldSince: last?.heldSince ?? now })
      if (now - since >= this.#msMax) socket.destroy()
    }
    for (const socket of this.#sockets) if (socket.writableLength === 0) looks.delete(socket)
  }
}

interface Inside {
  /** What a connection with TLS goes over. */
  readonly _parent?: Inside | null
  readonly _handle?: { readonly writeQueueSize?: number } | null
}

/** Complete writes, and the rest of the current one, which Node's timeouts look at, too. */
function acceptedOf(socket: Socket): string {
  const { _parent, _handle } = socket as Inside
  const { writeQueueSize } = (_parent ?? { _handle })._handle ?? {}
  return `${socket.bytesWritten - socket.writableLength} ${writeQueueSize}`
}

const endsOf = ({ localPort, remotePort }: Socket): string => `${localPort} ${remotePort}`

/** Both ends of a connection as the system lists them, and how many bytes the other side has not confirmed. */
const row = /^ *\d+: [\dA-F]+:([\dA-F]{4}) [\dA-F]+:([\dA-F]{4}) [\dA-F]{2} ([\dA-F]{8}):/gm

/**
 * By the ports of a connection. Only Linux tells; elsewhere, and for Unix sockets, what the system accepts must do. Two
 * clients with the same port are taken for one, which errs on the side of patience.
 */
async function unconfirmedBytes(): Promise<Map<string, number>> {
  const tables = ['/proc/net/tcp', '/proc/net/tcp6']
  const texts = await Promise.all(tables.map((path) => readFile(path, 'latin1').catch(() => '')))
  const bytes = new Map<string, number>()
  for (const [, local = '', remote = '', queue = ''] of texts.join('').matchAll(row)) {
    const ends = `${Number.parseInt(local, 16)} ${Number.parseInt(remote, 16)}`
    bytes.set(ends, (bytes.get(ends) ?? 0) + Number.parseInt(queue, 16))
  }
  return bytes
}
