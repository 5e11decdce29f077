import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

/** How many looks at a connection fit into its limit. */
const looksPerLimit = 6
/** How many times its longest pause so far a client that reads slowly may pause again, and how many times the limit at most. */
const pauseFactor = 2
const limitFactorMax = 4

interface Look {
  /** How many bytes the system has accepted of what was written. */
  readonly accepted: number
  /** Of that, what the client has not confirmed yet, where the system tells. */
  readonly unconfirmed: number | undefined
  /** The most that it was ever known to have confirmed, or the system to have accepted where it does not tell. */
  readonly taken: number
  /** When so much was first seen, and when anything was. */
  readonly since: number
  readonly heldSince: number
  /** The longest time without progress after which there was some. */
  readonly pauseMs: number
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
    // Before the system is asked: what is written meanwhile must not seem confirmed.
    const accepted = new Map([...this.#sockets].map((socket) => [socket, acceptedOf(socket)]))
    // Of what waits in the system, too: it holds megabytes, and takes no more from a slow client's server for minutes.
    const queues = accepted.size > 0 ? await unconfirmedBytes() : new Map<string, number>()
    const now = performance.now()
    for (const [socket, bytes] of accepted) {
      const last = this.#looks.get(socket)
      const told = queues.get(endsOf(socket))
      if (socket.writableLength === 0 && !told) {
        this.#looks.delete(socket)
        continue
      }
      const unconfirmed = told ?? last?.unconfirmed
      const taken = bytes - (unconfirmed ?? 0)
      const isStill = last !== undefined && taken <= last.taken
      const since = isStill ? last.since : now
      const heldSince = last?.heldSince ?? now
      const most = isStill ? last.taken : taken
      const pauseMs = last === undefined || isStill ? (last?.pauseMs ?? 0) : pauseAfter(last, now)
      const look = { accepted: bytes, unconfirmed, taken: most, since, heldSince, pauseMs }
      this.#looks.set(socket, look)
      if (now - since >= this.#patienceMs(look)) socket.destroy()
    }
  }

  /** Systems tell of a slow reader's progress in steps of up to some hundred KB, so a steady one may seem to pause. */
  #patienceMs({ pauseMs }: Look): number {
    return Math.min(Math.max(this.#msMax, pauseFactor * pauseMs), limitFactorMax * this.#msMax)
  }
}

const pauseAfter = ({ since, pauseMs }: Look, now: number): number => Math.max(pauseMs, now - since)

interface Inside {
  /** What a connection with TLS goes over. */
  readonly _parent?: Inside | null
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null
}

/** What was handed to the system and has left this process. Node's own count, as its timeouts, goes up with every write. */
function acceptedOf(socket: Socket): number {
  const { _parent, _handle } = socket as Inside
  const { bytesWritten = 0, writeQueueSize = 0 } = (_parent ?? { _handle })._handle ?? {}
  return bytesWritten - writeQueueSize
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
