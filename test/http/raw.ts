import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A connection on which a test writes what no client would. */
export class RawConnection implements Disposable {
  readonly socket: Socket
  text = ''

  private constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('latin1').on('data', (chunk) => {
      this.text += chunk
    })
    socket.on('error', () => {}).setMaxListeners(0)
  }

  static async to(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return new RawConnection(socket)
  }

  write(text: string | Buffer): void {
    this.socket.write(text)
  }

  /** The next answer that is whole: its status and its body. */
  async answer(): Promise<{ status: number; head: string; body: string }> {
    for (;;) {
      const end = this.text.indexOf('\r\n\r\n')
      const head = this.text.slice(0, Math.max(0, end))
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      const body = this.text.slice(end + 4, end + 4 + length)
      if (end !== -1 && body.length === length) {
        this.text = this.text.slice(end + 4 + length)
        return { status: Number(head.slice(9, 12)), head, body }
      }
      if (this.socket.closed)
        throw new Error(`closed after ${JSON.stringify(this.text.slice(0, 500))}`)
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')])
    }
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }
}

/** One request as text, one answer. */
export async function askRaw(url: string, text: string | Buffer) {
  using connection = await RawConnection.to(url)
  connection.write(text)
  const { status, head, body } = await connection.answer()
  return { status, head, code: body === '' ? null : (JSON.parse(body).code as string) }
}

/** A request with a host that is ours. */
export const request = (
  line: string,
  headers: readonly string[] = [],
  body: string | Buffer = '',
): Buffer =>
  Buffer.concat([
    Buffer.from(`${[`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`),
    Buffer.from(body as string),
  ])

export const posted = (body: string | Buffer, type = 'application/json'): Buffer =>
  request(
    'POST /api/tasks',
    [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`],
    body,
  )
