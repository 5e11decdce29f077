import { type Attempt, attempt, type Failed, type Line, type Sent } from './attempt.ts'
import { ClientError, unknownOutcome } from './error.ts'

const pauseMsFirst = 200
const pauseMsMax = 5_000
/** Who is asked to wait longer than this is told so instead. */
const retryAfterMsMax = 60_000

/** How a request may be sent. */
interface Care {
  readonly isChange: boolean
  /** Whether sending it twice does what sending it once does. */
  readonly isRepeatable: boolean
  /** How many times more it may be sent. */
  readonly retries: number
}

export type Answered = Exclude<Attempt, Failed>

/**
 * Sends a request, and again where that is safe: any while nothing can have been done, reads and what is repeatable also
 * after an answer was lost. Once a change may have been done, nothing but success says more than that.
 */
export async function send(sent: Sent, line: Line, care: Care): Promise<Answered> {
  let mayBeDone = false
  for (let count = 0; ; count++) {
    const result = await attempt(sent, line)
    if (!('error' in result)) return result
    const { error, maybeDone, waitMs } = result
    mayBeDone ||= care.isChange && maybeDone
    const isOver = count >= care.retries || waitMs === null || waitMs > retryAfterMsMax
    if (isOver || (mayBeDone && !care.isRepeatable)) throw mayBeDone ? unknown(error) : error
    await pause(Math.max(waitMs, pauseMs(count)), line.signal)
  }
}

/** The store behind the server may not know either; then the server says so. */
const unknown = (error: ClientError): ClientError =>
  error.details['outcome'] === 'unknown_outcome'
    ? new ClientError('unknown_outcome', error.message, {
        status: error.status,
        details: error.details,
        cause: error,
      })
    : unknownOutcome(error)

/** Longer and longer, and never the same for two clients. */
const pauseMs = (count: number): number =>
  Math.min(pauseMsFirst * 2 ** count, pauseMsMax) * (0.5 + Math.random())

/** Throws the reason of the signal once that is aborted. */
export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
