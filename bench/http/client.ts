import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** One connection that asks one thing after the other, with as little work of its own as can be. */
export class Lane implements Disposable {
  readonly #socket: Socket
  #text = ''
  #answered: ((status: number) => void) | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1').on('data', (chunk) => this.#take(String(chunk)))
  }

  static async open(port: number): Promise<Lane> {
    const socket = connect(port, '127.0.0.1').setNoDelay()
    await once(socket, 'connect')
    return new Lane(socket)
  }

  /** Sends a request and answers with the status. */
  ask(method: string, path: string): Promise<number> {
    const size = method === 'GET' ? '' : 'Content-Length: 0\r\n'
    this.#socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Agent-ID: bench\r\n${size}\r\n`,
    )
    return new Promise((resolve) => {
      this.#answered = resolve
    })
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }

  #take(chunk: string): void {
    this.#text += chunk
    const end = this.#text.indexOf('\r\n\r\n')
    if (end === -1) return
    const length = Number(/content-length: (\d+)/i.exec(this.#text)?.[1] ?? 0)
    if (this.#text.length < end + 4 + length) return
    const status = Number(this.#text.slice(9, 12))
    this.#text = ''
    this.#answered?.(status)
  }
}
