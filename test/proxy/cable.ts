import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Passes bytes on between two programs, until it is cut. */
export class Cable implements AsyncDisposable {
  readonly #port: number
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer((client) => this.#connect(client))
  #state: 'whole' | 'broken' | 'silent' = 'whole'

  private constructor(port: number) {
    this.#port = port
  }

  /** One to this port, with a port of its own. */
  static async to(port: number): Promise<Cable> {
    const cable = new Cable(port)
    cable.#server.listen(0, '127.0.0.1')
    await once(cable.#server, 'listening')
    return cable
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Breaks all connections and refuses new ones; or, `silent`, lets them stand, but nothing passes. */
  cut({ silent }: { silent: boolean }): void {
    this.#state = silent ? 'silent' : 'broken'
    for (const socket of this.#sockets)
      if (silent) socket.pause()
      else socket.destroy()
  }

  mend(): void {
    this.#state = 'whole'
    for (const socket of this.#sockets) socket.resume()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut({ silent: false })
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #connect(client: Socket): void {
    if (this.#state === 'broken') {
      client.destroy()
      return
    }
    const server = connect(this.#port, '127.0.0.1')
    this.#join(client, server)
    this.#join(server, client)
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from)
    from.setNoDelay(true)
    from.on('data', (bytes) => {
      if (to.writable && !to.write(bytes)) from.pause()
    })
    from.on('error', () => {})
    from.on('close', () => {
      this.#sockets.delete(from)
      to.destroy()
    })
    to.on('drain', () => {
      if (this.#state === 'whole') from.resume()
    })
    if (this.#state === 'silent') from.pause()
  }
}
