import { networkOf } from './client-address.ts'
import { type HttpError, kitError } from './error.ts'

/** How many wrong tokens per address and minute are refused without delay. */
const attemptsMax = 10
const windowMs = 60_000
/** After that, one answer per second. */
const answerEveryMs = 1_000
/** How many may wait for their answer: from one address, and from all. */
const waitingMax = 30
const waitingAllMax = 1_000
/** How many addresses are remembered: those that tried last. */
const addressesMax = 10_000

interface Attempts {
  /** When the last ones came, the oldest first. */
  readonly times: number[]
  /** When the next answer may be given. */
  answerAt: number
}

/** What to answer a wrong token with, and when. */
interface Slowed {
  readonly error: HttpError
  readonly waitMs: number
}

/**
 * Slows down guessing. Only wrong tokens get here, so the right one always works at once.
 */
export class Throttle implements Disposable {
  readonly #byNetwork = new Map<string, Attempts>()
  readonly #waiting = new Map<NodeJS.Timeout, () => void>()
  /** Monotonic, so that setting the clock changes nothing. */
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Counts a wrong token; null if it may be refused without delay. */
  attempt(address: string): Slowed | null {
    const now = this.#now()
    const attempts = this.#of(networkOf(address), now)
    const oldest = attempts.times[0] as number
    const isFull = attempts.times.length === attemptsMax && oldest > now - windowMs
    if (attempts.times.length === attemptsMax) attempts.times.shift()
    attempts.times.push(now)
    if (!isFull) return null
    const error = tooMany((attempts.times[0] as number) + windowMs - now)
    const at = Math.max(now, attempts.answerAt)
    const isCrowded = at - now >= waitingMax * answerEveryMs || this.#waiting.size >= waitingAllMax
    if (isCrowded) return { error: lastOnItsConnection(error), waitMs: 0 }
    attempts.answerAt = at + answerEveryMs
    return { error, waitMs: at - now }
  }

  /** Answers when it is time, or when the server ends. */
  after(waitMs: number, answer: () => void): void {
    if (waitMs <= 0) {
      answer()
      return
    }
    const timer = setTimeout(() => {
      this.#waiting.delete(timer)
      answer()
    }, waitMs)
    this.#waiting.set(timer, answer)
  }

  [Symbol.dispose](): void {
    for (const [timer, answer] of this.#waiting) {
      clearTimeout(timer)
      answer()
    }
    this.#waiting.clear()
  }

  #of(network: string, now: number): Attempts {
    const attempts = this.#byNetwork.get(network) ?? { times: [], answerAt: now }
    this.#byNetwork.delete(network)
    this.#byNetwork.set(network, attempts)
    if (this.#byNetwork.size > addressesMax)
      this.#byNetwork.delete(this.#byNetwork.keys().next().value as string)
    return attempts
  }
}

const tooMany = (msLeft: number): HttpError => {
  const seconds = Math.max(1, Math.ceil(msLeft / 1000))
  return kitError(
    'TOO_MANY_ATTEMPTS',
    'Too many wrong tokens came from your address. Check the token: the right one works at once.',
    { details: { retry_after_seconds: seconds }, headers: { 'Retry-After': String(seconds) } },
  )
}

const lastOnItsConnection = ({ message, details, headers }: HttpError): HttpError =>
  kitError('TOO_MANY_ATTEMPTS', message, {
    details,
    headers: { ...headers, Connection: 'close' },
  })
