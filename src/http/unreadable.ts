import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorBody, type HttpError, kitError } from './error.ts'

/** How long a client may go on sending before it reads what was wrong. */
const lingerMsMax = 2_000

/** Why a request can't be read; null if nobody is left to answer. */
export function unreadableOf({ code = '' }: NodeJS.ErrnoException): HttpError | null {
  // After a failed TLS handshake there is no way to answer.
  if (code === 'ECONNRESET' || code === 'EPIPE' || /^ERR_(SSL|TLS)_/.test(code)) return null
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return kitError('REQUEST_TIMEOUT', 'The request did not come in time. Send it faster.')
  if (code === 'HPE_HEADER_OVERFLOW')
    return kitError(
      'HEADERS_TOO_LARGE',
      'The path and headers have more than 16 KiB together. Send less.',
    )
  return kitError('INVALID_QUERY', 'The request is no HTTP that can be read.')
}

/** Answers on a connection from which nothing more can be read, and ends it. */
export function answerUnreadable(socket: Duplex, error: HttpError): void {
  const { _httpMessage: underWay } = socket as { _httpMessage?: { headersSent: boolean } | null }
  // In the middle of another response it would be read as a part of that.
  if (!socket.writable || underWay?.headersSent) {
    socket.destroy()
    return
  }
  const body = JSON.stringify(errorBody(error))
  const lines = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  // Closed at once, with more on its way to us, the answer would be lost.
  socket.on('error', () => {}).resume()
  setTimeout(() => socket.destroy(), lingerMsMax).unref()
}
