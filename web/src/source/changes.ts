import { isAborted } from './failure.ts'
import type { Http } from './http.ts'
import type { Connection, Hint, Model } from './source.ts'

/** The server says something every 15 s; a silence of more than this is a connection that is gone. */
const silenceMsMax = 40_000
const pauseMsMin = 500
const pauseMsMax = 10_000

/**
 * Follows the server's events for as long as it is wanted. By `fetch` and not by `EventSource`, which could send no token.
 * Every event is a hint, so nothing is replayed: after a gap all is read again.
 */
export function followChanges(
  http: Http,
  models: readonly Model[],
  onHint: (hint: Hint) => void,
  onConnection: (connection: Connection) => void,
): () => void {
  const ending = new AbortController()
  const run = async (): Promise<void> => {
    let pauseMs = pauseMsMin
    while (!ending.signal.aborted) {
      const isOver = await stream(http, models, ending.signal, (hint) => {
        pauseMs = pauseMsMin
        onConnection('live')
        onHint(hint)
      }).catch(() => false)
      if (isOver || ending.signal.aborted) return
      onConnection('lost')
      await wait(pauseMs * (0.5 + Math.random()), ending.signal)
      pauseMs = Math.min(pauseMs * 2, pauseMsMax)
    }
  }
  void run()
  return () => ending.abort()
}

async function stream(
  http: Http,
  models: readonly Model[],
  signal: AbortSignal,
  onHint: (hint: Hint) => void,
): Promise<boolean> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), silenceMsMax)
  try {
    const response = await fetch(http.url('/api/changes', { models: models.join(',') }), {
      headers: http.headers({ Accept: 'text/event-stream' }),
      signal: AbortSignal.any([signal, silence.signal]),
      cache: 'no-store',
      credentials: 'omit',
    })
    if (!response.ok || !response.body) return false
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return false
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), silenceMsMax)
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop() as string
      for (const block of blocks) tell(block, onHint)
    }
  } catch (error) {
    if (isAborted(error) && signal.aborted) return true
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** A block without an event is a sign of life. */
function tell(block: string, onHint: (hint: Hint) => void): void {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]
  const event = field('event')
  if (event === 'resync') onHint({ model: null })
  if (event !== 'change') return
  try {
    const { model } = JSON.parse(field('data') ?? '') as { model: Model }
    onHint({ model })
  } catch {
    onHint({ model: null })
  }
}

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
