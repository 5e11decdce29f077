import { attempt, unkept } from './attempt.ts'
import type { Asked, CallOptions, Connection, Query } from './connection.ts'
import { ClientError } from './error.ts'
import { pause } from './retry.ts'

/** One event of a stream. */
interface StreamEvent {
  readonly id: string | null
  readonly event: string
  readonly data: unknown
}

/** How a stream is followed. */
export interface FollowOptions extends Pick<CallOptions, 'signal'> {
  /** Told whenever the connection is lost; it is made again by itself. */
  readonly onLost?: ((error: ClientError) => void) | undefined
}

/** The server says something every 15 s; a silence of more than this is a connection that is gone. */
const silenceMsMax = 40_000
const pauseMsFirst = 500
const pauseMsMax = 10_000

/**
 * Follows a stream of events until the signal is aborted, through lost connections and restarts of the server: each time from
 * the last event on that was heard. Throws only what another attempt would not change, such as `UNAUTHORIZED`.
 */
export async function* follow(
  connection: Connection,
  path: string,
  query: Query,
  { signal, onLost, lastId }: FollowOptions & { readonly lastId?: string | null },
): AsyncGenerator<StreamEvent> {
  const heard = { id: lastId ?? null }
  const { signal: ending } = connection.line({ signal })
  let pauseMs = pauseMsFirst
  while (!ending?.aborted) {
    try {
      const resume = heard.id === null ? {} : { 'Last-Event-ID': heard.id }
      const headers = { Accept: 'text/event-stream', ...resume }
      for await (const event of streamed(connection, path, { query, headers, signal }, heard)) {
        pauseMs = pauseMsFirst
        yield event
      }
      onLost?.(new ClientError('unreachable', 'The server closed the stream.'))
    } catch (error) {
      if (ending?.aborted) return
      if (!(error instanceof ClientError) || isFinal(error)) throw error
      onLost?.(error)
    }
    await pause(pauseMs * (0.5 + Math.random()), ending).catch(() => {})
    pauseMs = Math.min(pauseMs * 2, pauseMsMax)
  }
}

const isFinal = ({ status }: ClientError): boolean =>
  status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429

/** What one connection brings, until it breaks or falls silent. */
async function* streamed(
  connection: Connection,
  path: string,
  asked: Asked,
  heard: { id: string | null },
): AsyncGenerator<StreamEvent> {
  const silence = new Silence()
  const line = connection.line(asked)
  const signal = line.signal ? AbortSignal.any([line.signal, silence.signal]) : silence.signal
  try {
    const body = await opened(connection, path, asked, signal)
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      silence.ends()
      const { value, done } = await reader.read()
      if (done) return
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop() as string
      for (const block of blocks) {
        const event = eventIn(block, heard)
        if (event !== null) yield event
      }
    }
  } catch (cause) {
    if (cause instanceof ClientError) throw cause
    throw new ClientError('unreachable', 'The connection to the server is lost.', { cause })
  } finally {
    silence.close()
  }
}

/** Ends what hears nothing for too long; or at once, when nobody listens any more. */
class Silence {
  readonly #ending = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    this.ends()
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  ends(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#ending.abort(), silenceMsMax)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#ending.abort()
  }
}

/** The body of an answer that is a stream; a refusal is told as of any other request. */
async function opened(
  connection: Connection,
  path: string,
  asked: Asked,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { fetch, timeoutMs } = connection.line({})
  const { url, ...init } = connection.sent('GET', path, asked)
  const response = await fetch(url, { ...init, signal, ...unkept })
  if (response.ok && response.body) return response.body as ReadableStream<Uint8Array<ArrayBuffer>>
  const again = async () => response
  const told = await attempt({ url, ...init }, { fetch: again, timeoutMs, signal })
  throw 'error' in told
    ? told.error
    : new ClientError('invalid_answer', 'The server sent no stream.')
}

/** A block without an event only says where to go on from, or that the server is still there. */
function eventIn(block: string, heard: { id: string | null }): StreamEvent | null {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]
  const id = field('id')
  if (id !== undefined) heard.id = id
  const event = field('event')
  if (event === undefined) return null
  return { id: id ?? null, event, data: JSON.parse(field('data') ?? 'null') }
}
